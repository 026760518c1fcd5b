import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { ArtifactFault, readArtifact } from "./safe-read.js";
import { cleanLine, cleanText, cutHead, cutTail, decodeText } from "./text.js";

const root = mkdtempSync(join(tmpdir(), "pawl-artifacts-"));
const here = join(root, "visit");
const secret = join(root, "secret");
mkdirSync(join(here, "sub"), { recursive: true });
mkdirSync(secret);
for (const name of ["id_rsa", "other"]) writeFileSync(join(secret, name), "CANARY\n");
writeFileSync(join(here, "ok.md"), "VERDICT: PASS\n");
writeFileSync(join(here, "sub/ok.md"), "fine\n");
writeFileSync(join(here, "empty.md"), "");
symlinkSync(join(secret, "id_rsa"), join(here, "link.md"));
symlinkSync(secret, join(here, "linked"));
symlinkSync("ok.md", join(here, "inner-link.md"));
symlinkSync("/dev/zero", join(here, "zero.md"));
linkSync(join(secret, "other"), join(here, "hard.md"));
execFileSync("mkfifo", [join(here, "fifo.md")]);
writeFileSync(join(here, "sparse.md"), "x");
truncateSync(join(here, "sparse.md"), 2 ** 40);
writeFileSync(join(here, "limit.md"), Buffer.alloc(65_536));
writeFileSync(join(here, "big.md"), Buffer.alloc(65_537));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each<[string, number | string]>([
  ["ok.md", 14],
  ["sub/ok.md", 5],
  ["sub/../ok.md", 14],
  ["empty.md", 0],
  ["limit.md", 65_536],
  ["link.md", "artifact-is-a-link"],
  ["inner-link.md", "artifact-is-a-link"],
  ["zero.md", "artifact-is-a-link"],
  ["linked/id_rsa", "artifact-escapes"],
  ["hard.md", "artifact-has-a-second-name"],
  ["fifo.md", "artifact-not-a-file"],
  ["sub", "artifact-not-a-file"],
  ["sparse.md", "artifact-too-big"],
  ["big.md", "artifact-too-big"],
  ["../secret/id_rsa", "artifact-escapes"],
  ["/etc/passwd", "artifact-escapes"],
  ["/proc/self/environ", "artifact-escapes"],
  [".", "artifact-escapes"],
  ["ok.md\0.txt", "artifact-escapes"],
  ["none.md", "artifact-missing"],
  ["ok.md/x", "artifact-missing"],
])("a step's file %j is read as %j", (name, want) => {
  const read = () => {
    try {
      return readArtifact(here, name, 65_536).length;
    } catch (error) {
      return error instanceof ArtifactFault ? error.code : error;
    }
  };
  expect(read()).toBe(want);
});

test("a file that is longer than it was said to be is read whole, and never beyond the limit", () => {
  const folder = realpathSync("/proc/self"); // its files are said to be empty
  const whole = readFileSync(join(folder, "status"), "utf8");
  expect(readArtifact(folder, "status", 65_536).toString()).toHaveLength(whole.length);
  expect(() => readArtifact(folder, "status", 100)).toThrow("is larger than allowed");
});

test("hard links are read only where nobody hostile writes", () => {
  expect(readArtifact(here, "hard.md", 100, "accept").toString()).toBe("CANARY\n");
});

test("text of strangers loses escapes, controls and marks that turn it round, and keeps lines and tabs", () => {
  expect(cleanText("\x1b[31mred\x1b[0m\r\n\ttab\x07\x00\x9b1mx\u202e")).toBe("red\n\ttabx");
  expect(cleanText("\x1b]8;;http://evil\x07link\x1b]8;;\x1b\\ \x1b]0;title\x07\x1bcdone")).toBe("link done");
  expect(cleanText("50%\rdone")).toBe("50%done");
  expect(cleanLine("a\n  b\t\x1b[1mc ")).toBe("a b c");
  expect(decodeText(Buffer.from([0x61, 0xff, 0x62]))).toBe("a\ufffdb");
});

test("no control character survives, whatever comes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(cleanText(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    }),
  );
});

test("a cut text says how long it was and its digest, and never exceeds its room", () => {
  expect(cutHead("short", 5)).toBe("short");
  const long = `${"a".repeat(500)}${"z".repeat(500)}`;
  expect(cutHead(long, 300)).toMatch(/^a+\n\[cut: 1000 characters in all, sha256 [0-9a-f]{64}\]$/);
  expect(cutTail(long, 300)).toMatch(/^\[cut: 1000 .*\]\nz+$/);
  expect(cutTail(long, 300)).toHaveLength(300);
  for (const max of [301, 302]) expect(() => encodeURIComponent(cutTail("😀".repeat(500), max))).not.toThrow(); // no half pair
});
