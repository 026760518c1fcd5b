// What no text whatever may do to the reading of a verdict.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { VerdictFile } from "../core/model.js";
import { readVerdict } from "./verdict.js";

const file: VerdictFile = {
  artifact: "report.md",
  words: { PASS: { status: "pass", outcome: "pass" }, FAIL: { status: "block", outcome: "block" } },
  reading: "last",
};
function read(text: string, reading: VerdictFile["reading"] = "last"): string {
  const said = readVerdict(text, { ...file, reading });
  return "unclear" in said ? "unclear" : `${said.status}${said.caveat === undefined ? "" : " with conditions"}`;
}

const prose = fc
  .array(
    fc.constantFrom(
      "PASS",
      "pass",
      "verdict",
      "Final verdict: PASS",
      "the",
      "FAIL",
      "\n",
      "done.",
      "`",
      "- ",
      "> ",
      "not",
    ),
  )
  .map((words) => words.join(" "));
const anyText = fc.oneof(
  prose,
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom(..."VERDICT: PASS\n`>*<!-- FAIL") }),
);
const startsVerdict = (line: string): boolean => /^[^\p{L}]*(?:verdict|veredicto)[^\p{L}]*pass/iu.test(line);

test("prose without a verdict line is never a pass", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(!text.split(/[\r\n]/).some(startsVerdict));
      expect(read(text)).not.toMatch(/^pass/);
    }),
    { numRuns: 2_000 },
  );
});

test("quoting, fencing or commenting out a verdict line never changes the result", () => {
  const hide = fc.constantFrom(
    (line: string) => `> ${line}`,
    (line: string) => `  > > ${line}`,
    (line: string) => `\`\`\`\`\n${line}\n\`\`\`\``,
    (line: string) => `~~~text\n${line}\n~~~`,
    (line: string) => `<!-- ${line} -->`,
    (line: string) => `<!--\n${line}\n-->`,
  );
  const spoken = fc.constantFrom(
    "VERDICT: PASS",
    "VERDICT: FAIL",
    "**Verdict:** PASS — but",
    "VERDICT: NOT PASS",
    "VERDICT: maybe",
    "Text.",
  );
  fc.assert(
    fc.property(fc.array(spoken), spoken, hide, fc.nat(), fc.boolean(), (lines, line, hidden, at, worst) => {
      const reading = worst ? "worst" : "last";
      const index = at % (lines.length + 1);
      const withHidden = [...lines.slice(0, index), "", hidden(line), "", ...lines.slice(index)].join("\n");
      expect(read(withHidden, reading)).toBe(read(lines.join("\n"), reading));
    }),
    { numRuns: 2_000 },
  );
});

test("a negated word never becomes a pass", () => {
  const not = fc.constantFrom("NOT", "does not", "**not**", "never", "cannot", "isn't", "NO");
  fc.assert(
    fc.property(
      not,
      fc.constantFrom("PASS", "FAIL"),
      fc.constantFrom("", ".", "!", " — but close"),
      (no, word, tail) => {
        expect(read(`VERDICT: ${no} ${word}${tail}`)).not.toMatch(/^pass/);
      },
    ),
  );
});

const HOSTILE = [
  ["blanks", " "],
  ["stars", "*"],
  ["bullets", "- "],
  ["list numbers", "1. "],
  ["backticks", "`"],
  ["backtick runs", "` `` ``` "],
  ["comment signs", "<!-- "],
  ["closed comments", "<!-- -->"],
  ["comments behind blanks", `${" ".repeat(500_000)}<!-- -->`],
  ["negations", "VERDICT: NOT "],
  ["the keyword", "VERDICT: PASS "],
  ["brackets", "("],
  ["lines", "\n"],
  ["verdict lines", "VERDICT: PASS,\n"],
  ["quotes", "> "],
  ["tabs and fences", "\t```\n"],
  ["joined signs", "👩\u200D"],
] as const;
test.each(HOSTILE)("a megabyte of %s is read in linear time", (_name, piece) => {
  const begin = performance.now();
  for (const head of ["", "VERDICT: PASS — ", "x ` <!-- "])
    read(`${head}${piece.repeat(Math.ceil(1_000_000 / piece.length))}`, "worst");
  expect(performance.now() - begin).toBeLessThan(3 * 3_000);
});
