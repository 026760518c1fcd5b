// Turns what bubblewrap said before it gave up into a code and the next command. Only for commands that never ran.
import type { ErrorRecord } from "../../../core/model.js";
import { trouble } from "../faults.js";

const DOCTOR = "`pawl doctor`";
export const INSTALL = "`sudo apt install bubblewrap` or `sudo dnf install bubblewrap`, then `pawl doctor`";
const ALLOW_NAMESPACES =
  "allow bubblewrap to make user namespaces; Ubuntu 23.10 and later: put a profile for /usr/bin/bwrap with `userns,` into /etc/apparmor.d/bwrap, `sudo apparmor_parser -r /etc/apparmor.d/bwrap`, then `pawl doctor`";
const MORE_NAMESPACES =
  "`sudo sysctl user.max_user_namespaces=15000`; if it is that already, Pawl runs inside another sandbox: start it on the host";

interface Rule {
  said: RegExp;
  code: string;
  /** `what` is the line that was said. */
  message(what: string): string;
  hint: string;
}
const RULES: Rule[] = [
  {
    said: /exec: .+: not found|setpriv: failed to execute/,
    code: "sbx-bwrap-missing",
    message: () => '"bwrap" is not installed',
    hint: INSTALL,
  },
  {
    said: /Unknown option/i,
    code: "sbx-bwrap-old",
    message: (what) =>
      `bubblewrap does not know an option of the strict profile, which needs 0.8.0 or later: "${what}"`,
    hint: INSTALL,
  },
  {
    said: /max_\w+_namespaces|[Cc]reating new namespace failed.*No space left|ENOSPC/,
    code: "sbx-bwrap-userns",
    message: (what) => `the kernel gives no further namespaces: "${what}"`,
    hint: MORE_NAMESPACES,
  },
  {
    said: /No permissions to creat(?:e|ing) new namespace|setting up uid map: Permission denied|Failed RTM_NEWADDR|[Cc]reating new namespace failed/,
    code: "sbx-bwrap-userns",
    message: (what) => `bubblewrap may not make a user namespace: "${what}"`,
    hint: ALLOW_NAMESPACES,
  },
  {
    said: /Can't mount proc on/,
    code: "sbx-nested",
    message: (what) => `Pawl runs inside a container that lets no sandbox be made in it: "${what}"`,
    hint: "run the job on the host",
  },
  {
    said: /execvp .*: /,
    code: "sbx-image-unfit",
    message: (what) => `the sandbox does not have that program: "${what}"`,
    hint: "install it below /usr, or name its folder in `isolation: {mounts: [{path, access: read}]}`",
  },
];

export function missing(program: string): ErrorRecord {
  return trouble("sbx-bwrap-missing", `"${program}" is not installed`, INSTALL);
}

/** `said`: the beginning of standard error. `end`: how bubblewrap itself ended. */
export function diagnose(said: string, end: string): ErrorRecord {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a program's words go onto a screen
  const clean = said.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "").trim();
  for (const { said: pattern, code, message, hint } of RULES) {
    const line = clean.split("\n").find((text) => pattern.test(text));
    if (line !== undefined) return trouble(code, message(line.slice(0, 400)), hint);
  }
  const words = clean ? `it said: "${clean.slice(0, 1_000)}"` : "it said nothing";
  return trouble("sbx-engine", `bubblewrap ${end} before the command ran; ${words}`, DOCTOR);
}
