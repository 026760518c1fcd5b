// What a commit of given paths would change, read once from the disk and judged: everything a commit may not hold is found here.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { Finding } from "../../core/model.js";
import { readAttributes } from "./attributes.js";
import { type Sides, same, turnsCrlf } from "./dirty.js";
import { findSecrets } from "./secrets.js";
import { modeOf } from "./walk.js";

/** Larger files belong somewhere else. */
export const COMMIT_FILE_BYTES_MAX = 50 << 20;

/** `mode` "0": the path goes. `bytes` only where git cannot be given the path: links and names with a newline. */
export interface Change {
  path: string;
  mode: "0" | "100644" | "100755" | "120000";
  sha: string;
  bytes?: Buffer;
}
export interface Changes {
  changes: Change[];
  /** Not empty: nothing may be committed. */
  findings: Finding[];
  /** Paths that nobody should commit without a look: secrets, links out, repositories. Not those that only need git's own filters. */
  doubtful: string[];
}
type Read = Change & { crlf: boolean };

export async function readChanges(
  sides: Sides,
  paths: string[],
  stored: ReadonlyMap<string, string>,
): Promise<Changes> {
  const findings: Finding[] = [];
  const doubtful: string[] = [];
  const read: Read[] = [];
  for (const path of [...new Set(paths)].sort()) {
    const one = readOne(sides, path, stored.get(path));
    const found = typeof one === "string" ? [no(path, one)] : [];
    if (one && typeof one !== "string" && !isStored(sides, one, stored.get(path))) {
      read.push(one);
      found.push(...(await secretsOf(sides, one, stored.get(path))));
    }
    if (found.length) doubtful.push(path);
    findings.push(...found);
  }
  findings.push(...(await conversions(sides, read)));
  return { changes: read.map(({ crlf: _, ...change }) => change), findings, doubtful };
}

function isStored(sides: Sides, one: Read, stored: string | undefined): boolean {
  return one.mode === "0" ? stored === undefined : same(stored, `${one.mode}:${one.sha}`, sides.facts);
}

/** A text says why the path may not be committed. */
function readOne(sides: Sides, path: string, stored: string | undefined): Read | string | undefined {
  const gone: Read = { path, mode: "0", sha: "0".repeat(sides.facts.algorithm === "sha1" ? 40 : 64), crlf: false };
  const parents = judgeParents(sides.workspace, path);
  if (parents !== "fine") return parents === "gone" ? gone : parents.no;
  const whole = join(sides.workspace, path);
  const stat = lstatSync(whole, { bigint: true, throwIfNoEntry: false });
  if (!stat) return gone;
  if (stat.isDirectory()) return isRepository(whole) ? "is a repository of its own" : gone;
  if (stored?.startsWith("160000:")) return "was a repository of its own and is a file now";
  if (stat.isSymbolicLink()) return readLink(sides, path);
  if (!stat.isFile()) return "is neither a plain file nor a folder";
  if ((stat.mode & 0o6000n) !== 0n) return "would run with another user's rights (setuid)";
  const storedMode = stored?.slice(0, 6) === "100755" ? "100755" : "100644";
  return readPlain(sides, path, sides.facts.fileMode ? modeOf(stat) : storedMode);
}

/** "gone": a link or a file stands where a folder of the path was. */
function judgeParents(workspace: string, path: string): "fine" | "gone" | { no: string } {
  const parts = path.split("/");
  if (path.includes("\0") || parts.some((part) => /^(|\.|\.\.|\.git)$/i.test(part)))
    return { no: "is no path inside the workspace" };
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    if (!lstatSync(join(workspace, parent), { throwIfNoEntry: false })?.isDirectory()) return "gone";
    if (isRepository(join(workspace, parent))) return { no: `lies in "${parent}", a repository of its own` };
  }
  return "fine";
}

function readLink(sides: Sides, path: string): Read | string {
  const bytes = readlinkSync(join(sides.workspace, path), "buffer");
  const text = bytes.toString("utf8");
  if (isAbsolute(text) || normalize(join(dirname(path), text)).split("/")[0] === "..")
    return "is a link out of the workspace";
  return { path, mode: "120000", sha: sides.blobs.ofBytes(bytes), bytes, crlf: false };
}

function readPlain(sides: Sides, path: string, mode: string): Read | string {
  const bytes = readBytes(join(sides.workspace, path));
  if (typeof bytes === "string") return bytes;
  return {
    path,
    mode: mode === "100755" ? "100755" : "100644",
    sha: sides.blobs.ofBytes(bytes),
    crlf: bytes.includes("\r\n"),
    ...(path.includes("\n") ? { bytes } : {}),
  };
}

function readBytes(path: string): Buffer | string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return "cannot be read";
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return "is no longer a plain file";
    if (stat.size > COMMIT_FILE_BYTES_MAX)
      return `has ${stat.size >> 20} MiB; a commit takes files of at most ${COMMIT_FILE_BYTES_MAX >> 20} MiB`;
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

async function secretsOf(sides: Sides, one: Read, stored: string | undefined): Promise<Finding[]> {
  if (!one.mode.startsWith("100")) return [];
  const bytes = readBytes(join(sides.workspace, one.path));
  if (typeof bytes === "string" || sides.blobs.ofBytes(bytes) !== one.sha)
    return [no(one.path, "changes while it is read")];
  const found = findSecrets(one.path, bytes);
  if (found.length === 0 || !stored?.startsWith("100")) return found;
  return findSecrets(one.path, bytes, (await sides.git.ask(["cat-file", "blob", stored.slice(7)])).stdout);
}

/** We store raw bytes; where git would store others, a person's git has to do it. */
async function conversions(sides: Sides, read: Read[]): Promise<Finding[]> {
  const files = read.filter((one) => one.mode.startsWith("100"));
  const said = await readAttributes(
    sides.git,
    files.map((one) => one.path),
  );
  return files.flatMap(({ path, crlf }) => {
    const one = said.get(path);
    if (one?.converted)
      return [no(path, `has the attribute "${one.converted}", so git stores other bytes than those on disk`)];
    if (one && crlf && turnsCrlf(one, sides.facts)) return [no(path, "has CRLF line ends that git would turn into LF")];
    return [];
  });
}

/** Also a bare one: git works in it when somebody stands there. */
function isRepository(folder: string): boolean {
  const has = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return has(".git") || (has("HEAD") && has("objects") && has("refs"));
}

function no(path: string, text: string): Finding {
  return { text, where: path, severity: "error" };
}
