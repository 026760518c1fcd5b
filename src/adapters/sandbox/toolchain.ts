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
/** Where the image has its own: another machine's users are none of ours. */
const USERS = ["passwd", "group", "nsswitch.conf"];
export const PATH = "/usr/local/bin:/usr/bin:/bin";
/** Bytes of the scratch that hides Pawl's working home. */
export const COVER_BYTES = 65_536;

export interface Toolchain {
  /** Read-only, at their own path; they exist. */
  folders: string[];
  /** Files and folders of settings, where they exist. */
  settings: string[];
  links: { path: string; to: string }[];
  /** The same as `folders` and `settings`, for a sandbox whose image has users of its own. */
  borrowed: string[];
  path: string;
}

/** What this machine has; asked once an engine. */
export function toolchain(node = process.execPath): Toolchain {
  const links: Toolchain["links"] = [];
  const folders = ["/usr"];
  for (const path of LINKS.map((name) => `/${name}`)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) links.push({ path, to: readlinkSync(path) });
    else if (found) folders.push(path);
  }
  const parts = partsOf(node);
  folders.push(...parts);
  const named = (names: string[]) => names.map((name) => `/etc/${name}`);
  return {
    folders,
    settings: named(SETTINGS),
    links,
    borrowed: [...folders, ...named(SETTINGS.filter((name) => !USERS.includes(name)))],
    path: parts[0] ? `${parts[0]}:${PATH}` : PATH,
  };
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
