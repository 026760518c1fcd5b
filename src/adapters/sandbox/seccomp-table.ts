// The system calls nobody in a sandbox needs. What is not named here is allowed, new kernel calls too: review it with every
// kernel release. The numbers are compared with the kernel's headers by seccomp.test.ts.

/** Number on x64, number on arm64; null where the call does not exist. */
export type Numbers = readonly [x64: number | null, arm64: number | null];

/** Answer: EPERM. */
export const DENIED: Record<string, Numbers> = {
  // mounts and namespaces: what a container is made of
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // other people's memory and files
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  // wide kernel surfaces with a long history of holes
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // the kernel keyring is not split by namespaces
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  // the machine itself
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  fanotify_init: [300, 262],
  vhangup: [153, 58],
  // placement of memory, leftovers of old kernels
  move_pages: [279, 239],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  migrate_pages: [256, 238],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  iopl: [172, null],
  ioperm: [173, null],
  uselib: [134, null],
  _sysctl: [156, null],
  sysfs: [139, null],
  ustat: [136, null],
  modify_ldt: [154, null],
};
/** Answer: ENOSYS, so that callers fall back to the older call, whose arguments a filter can see. */
export const ABSENT: Record<string, Numbers> = { clone3: [435, 435], openat2: [437, 437] };
/** Calls whose arguments are looked at. */
export const CLONE: Numbers = [56, 220];
export const SOCKET: Numbers = [41, 198];
export const IOCTL: Numbers = [16, 29];
/** Flags of clone that make namespaces. */
export const CLONE_NEW = 0x7e020000;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Not AF_VSOCK (40): it talks to the hypervisor past any network namespace. */
export const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX: typing into the terminal of whoever started us. */
export const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** The setuid bit: such a file would lie on the host, owned by whoever runs Pawl. Not setgid, which shared repositories put on
 *  folders: a filter cannot tell these from files. */
export const SET_UID = 0o4000;
/** The index of the argument that is a mode. */
export const MODES: Record<string, { numbers: Numbers; mode: number }> = {
  chmod: { numbers: [90, null], mode: 1 },
  fchmod: { numbers: [91, 52], mode: 1 },
  fchmodat: { numbers: [268, 53], mode: 2 },
  fchmodat2: { numbers: [452, 452], mode: 2 },
  creat: { numbers: [85, null], mode: 1 },
  mknod: { numbers: [133, null], mode: 1 },
  mknodat: { numbers: [259, 33], mode: 2 },
};
/** The index of the argument that is flags; the mode comes next and counts only when the call creates. */
export const OPENS: Record<string, { numbers: Numbers; flags: number }> = {
  open: { numbers: [2, null], flags: 1 },
  openat: { numbers: [257, 56], flags: 2 },
};
/** O_CREAT and __O_TMPFILE. */
export const CREATES = 0x40 | 0x400000;

/** Every number that is relied on, for the comparison with the headers. */
export const ALL: Record<string, Numbers> = {
  ...DENIED,
  ...ABSENT,
  clone: CLONE,
  socket: SOCKET,
  ioctl: IOCTL,
  ...Object.fromEntries(Object.entries({ ...MODES, ...OPENS }).map(([name, { numbers }]) => [name, numbers])),
};
