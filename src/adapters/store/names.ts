// Names of other people become names of files: encoded where any text may come, refused where only a name may.
import { createHash } from "node:crypto";

const ENCODED_CHARS_MAX = 100;
const PART_BYTES_MAX = 200;
const PARTS_MAX = 20;

/** A node's name as a folder's: two names never meet, and none is hidden, "..", or longer than a folder may be. */
export function encodeName(name: string): string {
  const encoded = Array.from(Buffer.from(name), encodeByte)
    .join("")
    .replace(/^\.|(?<=\.)\./g, "%2E");
  if (encoded.length <= ENCODED_CHARS_MAX) return encoded;
  // "~" is never in an encoded name, so a cut one equals no whole one.
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${encoded.slice(0, ENCODED_CHARS_MAX - 13)}~${digest}`;
}

function encodeByte(byte: number): string {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9._-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Run ids are ours: short, typable, nothing a path could be made of. */
export const isRunId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(text) && !text.includes("..");

/** The folders a job's name stands for, or what is wrong with it. */
export function partsOfJob(job: string): string[] | string {
  const parts = job.split("/");
  if (parts.length > PARTS_MAX) return `the job ${JSON.stringify(job)} has more than ${PARTS_MAX} parts`;
  const wrong = parts.map((part) => wrongWithPart(part)).find((found) => found !== undefined);
  return wrong === undefined ? parts : `the job ${JSON.stringify(job)} cannot name a folder: ${wrong}`;
}

/** What keeps a text from being the name of one file or folder. */
export function wrongWithPart(part: string): string | undefined {
  if (part === "") return "a part of it is empty, or it is an absolute path";
  if (part === "." || part === "..") return `it holds "${part}"`;
  if (/^\.git$/i.test(part)) return 'it holds ".git"';
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(part)) return "it holds control characters";
  if (/[/\\]/.test(part)) return "it holds a slash or backslash";
  if (Buffer.byteLength(part) > PART_BYTES_MAX) return `a part of it is longer than ${PART_BYTES_MAX} bytes`;
  return undefined;
}
