// The small attack a probe makes, in plain sh. Prints P|what|ok or P|what|BAD. Variables: NONCE, the text of .nonce in the workspace;
// BAIT, a file beside the workspace; STATE, the working home; SCRATCH_KIB; HOST_SHADOW, device and inode of the host's
// password hashes; GIVEN, a pattern of the names its first process may have in its environment; HOST_NS_NET, _PID, _MNT and _IPC, the launcher's namespaces.
export const PROBE_SCRIPT = String.raw`
say() { if [ "$2" = 0 ]; then echo "P|$1|ok"; else echo "P|$1|BAD"; fi; }
field() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
not() { ! "$@"; }
opens() { ( : >>"$1" ) 2>/dev/null; } # writes nothing; some shells' "test -w" knows no read-only mounts
fails() { ( : >"$1" ) 2>/dev/null && return 1; return 0; }
[ "$(cat .nonce)" = "$NONCE" ]; say "workspace is this one" $?
not opens /proc/sys/kernel/core_pattern; say "core_pattern" $?
fails /usr/.pawl-probe; say "read-only root" $?
not fails ./.pawl-probe && rm ./.pawl-probe; say "writable workspace" $?
not fails /tmp/.pawl-probe; say "writable /tmp" $?
[ "$(field CapEff)" = 0000000000000000 ]; say "no capabilities" $?
[ "$(field NoNewPrivs)" = 1 ]; say "no new privileges" $?
[ "$(field Seccomp)" = 2 ]; say "system call filter" $?
for kind in net pid mnt ipc; do
  case $kind in net) host=$HOST_NS_NET ;; pid) host=$HOST_NS_PID ;; mnt) host=$HOST_NS_MNT ;; ipc) host=$HOST_NS_IPC ;; esac
  mine=$(readlink /proc/self/ns/$kind) && [ -n "$host" ] && [ "$mine" != "$host" ]; say "own $kind namespace" $?
done
[ "$(sed -n 's/:.*//p' /proc/net/dev | tr -d ' ' | grep -v '|' | tr '\n' ' ')" = "lo " ]; say "loopback only" $?
fails guarded/file; say "protected path" $?
fails .git/planted; say "git guard" $?
not test -e "$BAIT"; say "nothing beside the workspace" $?
[ "$(stat -c %d:%i /etc/shadow 2>/dev/null)" != "$HOST_SHADOW" ]; say "no password hashes" $?
not test -e "$STATE/journal"; say "covered working home" $?
[ -z "$(tr '\0' '\n' </proc/1/environ | grep -v -E "^($GIVEN)=")" ]; say "bare environment" $?
not unshare -Ur true 2>/dev/null; say "no new namespaces" $?
size=$(df -Pk /tmp | sed -n '2s/^[^ ]* *\([0-9]*\) .*/\1/p'); [ "$size" -gt 0 ] && [ "$size" -le "$SCRATCH_KIB" ]; say "scratch of bounded size" $?
echo "L|processes|$(sed -n 's/^Max processes *\([0-9a-z]*\) .*/\1/p' /proc/self/limits)"
for file in /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max; do [ -r $file ] && echo "L|memory|$(cat $file)"; done
[ -r /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] && echo "L|cpu|$(cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us) $(cat /sys/fs/cgroup/cpu/cpu.cfs_period_us)"
[ -r /sys/fs/cgroup/cpu.max ] && echo "L|cpu|$(cat /sys/fs/cgroup/cpu.max)"
echo "L|data|$(sed -n 's/^Max data size *\([0-9a-z]*\) .*/\1/p' /proc/self/limits)"
# last: afterwards nothing more can be started. Some shells wait between tries, hence the timeout.
timeout -s KILL 1 sh -c 'i=0; while [ $i -lt 64 ]; do sleep 9 & i=$((i+1)); done; : >/tmp/forked' 2>/dev/null
not test -e /tmp/forked; say "bounded processes" $?
`;
export const ANSWERS = 22;
