// Writes the few entries of an image without a registry: folders, links and small texts.
export type Entry =
  | { kind: "folder"; path: string; mode: number }
  | { kind: "link"; path: string; to: string }
  | { kind: "file"; path: string; text: string; mode?: number };

const BLOCK = 512;

/** `encoding`: of the texts; "latin1" takes bytes as they are. */
export function tarOf(entries: Entry[], encoding: "utf8" | "latin1" = "utf8"): Buffer {
  return Buffer.concat([...entries.flatMap((entry) => blocksOf(entry, encoding)), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf(entry: Entry, encoding: "utf8" | "latin1"): Buffer[] {
  const body = Buffer.from(entry.kind === "file" ? entry.text : "", encoding);
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return [headerOf(entry, body.length), body, padding];
}
/** The old "ustar" form: names and links of at most 99 bytes, which is what there is. */
function headerOf(entry: Entry, sizeBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const text = (at: number, value: string) => header.write(value, at, "latin1");
  const octal = (at: number, digits: number, value: number) => text(at, value.toString(8).padStart(digits, "0"));
  text(0, entry.path);
  octal(100, 7, entry.kind === "folder" ? entry.mode : entry.kind === "link" ? 0o777 : (entry.mode ?? 0o644));
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, sizeBytes);
  octal(136, 11, 0);
  text(148, "        ");
  text(156, { folder: "5", link: "2", file: "0" }[entry.kind]);
  if (entry.kind === "link") text(157, entry.to);
  text(257, "ustar\0" + "00");
  octal(
    148,
    6,
    header.reduce((sum, byte) => sum + byte, 0),
  );
  header[154] = 0;
  return header;
}
