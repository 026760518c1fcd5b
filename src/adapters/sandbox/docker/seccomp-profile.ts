// The table of system calls in the form that the Docker API takes. libseccomp compares 64 bits where the kernel uses the low 32 of an
// int: every comparison is masked, or `socket(2^32 + AF_VSOCK)` would pass.
import {
  ABSENT,
  CLONE_NEW,
  CREATES,
  DENIED,
  FAMILIES,
  MODES,
  OPENS,
  SET_UID,
  TERMINAL_REQUESTS,
} from "../seccomp-table.js";

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
/** One more than the last address family the kernel knows. */
const FAMILIES_MAX = 46;

interface Argument {
  index: number;
  value: number;
  valueTwo: number;
  op: "SCMP_CMP_MASKED_EQ";
}
const rule = (names: string[], errnoRet: number, args?: Argument[]) => ({
  names,
  action: "SCMP_ACT_ERRNO",
  errnoRet,
  ...(args && { args }),
});
const isBit = (index: number, bit: number): Argument => ({
  index,
  value: bit,
  valueTwo: bit,
  op: "SCMP_CMP_MASKED_EQ",
});
const isInt = (index: number, value: number): Argument => ({
  index,
  value: 0xffffffff,
  valueTwo: value,
  op: "SCMP_CMP_MASKED_EQ",
});
const bitsOf = (mask: number): number[] =>
  Array.from({ length: 32 }, (_, i) => 2 ** i).filter((bit) => Math.floor(mask / bit) % 2 === 1);

export function seccompProfile(): object {
  const families = Array.from({ length: FAMILIES_MAX }, (_, i) => i).filter((family) => !FAMILIES.includes(family));
  return {
    defaultAction: "SCMP_ACT_ALLOW",
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
    syscalls: [
      rule(Object.keys(DENIED), EPERM),
      rule(Object.keys(ABSENT), ENOSYS),
      ...bitsOf(CLONE_NEW).map((bit) => rule(["clone"], EPERM, [isBit(0, bit)])),
      ...families.map((family) => rule(["socket"], EAFNOSUPPORT, [isInt(0, family)])),
      ...TERMINAL_REQUESTS.map((request) => rule(["ioctl"], EPERM, [isInt(1, request)])),
      ...Object.entries(MODES).map(([name, { mode }]) => rule([name], EPERM, [isBit(mode, SET_UID)])),
      ...bitsOf(CREATES).flatMap((bit) =>
        Object.entries(OPENS).map(([name, { flags }]) =>
          rule([name], EPERM, [isBit(flags, bit), isBit(flags + 1, SET_UID)]),
        ),
      ),
    ],
  };
}
