// The programs a sandbox is given: /usr, and the Node that runs Pawl when it lives elsewhere. Never a home as a whole.
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const LINKS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
const SETTINGS = [
  "alternatives",
  "ssl",
  "ca-certificates",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "passwd",
  "group",
  "nsswitch.conf",
  "mime.types",
];
const PATH = "/usr/local/bin:/usr/bin:/bin";

export interface Toolchain {
  /** Options of bubblewrap. */
  words: string[];
  path: string;
}

/** What this machine has; asked once an engine. */
export function toolchain(node = process.execPath): Toolchain {
  const words = ["--ro-bind", "/usr", "/usr"];
  for (const link of LINKS.map((name) => `/${name}`)) {
    const found = lstatSync(link, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) words.push("--symlink", readlinkSync(link), link);
    else if (found) words.push("--ro-bind", link, link);
  }
  for (const name of SETTINGS) words.push("--ro-bind-try", `/etc/${name}`, `/etc/${name}`);
  const parts = partsOf(node);
  for (const part of parts) words.push("--ro-bind", part, part);
  return { words, path: parts[0] ? `${parts[0]}:${PATH}` : PATH };
}

/** The folders of a Node distribution, programs first. Its prefix may be somebody's home or ~/.local: so never the prefix itself. */
function partsOf(node: string): string[] {
  const program = realpathSync(node);
  if (program.startsWith("/usr/")) return [];
  const prefix = dirname(dirname(program));
  return ["bin", "lib", "include"]
    .map((name) => join(prefix, name))
    .filter((path) => existsSync(path) && realpathSync(path) === path && path !== dirname(prefix));
}
