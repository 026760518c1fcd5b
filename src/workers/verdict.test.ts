import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import type { VerdictFile } from "../core/model.js";
import { EARLIER_LINES_MAX, readVerdict, VERDICT_LINE_CHARS_MAX, verdictLines } from "./verdict.js";

const pass = { status: "pass", outcome: "pass" } as const;
const fail = { status: "block", outcome: "block" } as const;
const file = (words: VerdictFile["words"], reading: VerdictFile["reading"] = "last"): VerdictFile => ({
  artifact: "report.md",
  words,
  reading,
});
const PASS_FAIL = file({ PASS: pass, FAIL: fail });
const APPROVED = file({ APPROVED: pass, "NEEDS CHANGES": fail });
const ALIAS = file({ APPROVED: pass, "NEEDS CHANGES": fail, "CHANGES REQUESTED": fail });
const REVIEW = file(
  {
    APPROVED: { status: "pass", outcome: "approved" },
    APPROVED_WITH_WARNINGS: { status: "pass", outcome: "approved-with-warnings" },
    APPROVED_PENDING_MANUAL: { status: "pass", outcome: "pending-manual" },
    BLOCKED: { status: "block", outcome: "block" },
  },
  "worst",
);

/** One word for a reading: "pass", "fail", "pass with conditions", "unclear", or the outcome of a review. */
function read(text: string | undefined, words = PASS_FAIL): string {
  const reading = readVerdict(text, words);
  if ("unclear" in reading) return "unclear";
  if (reading.caveat !== undefined) return "pass with conditions";
  return reading.outcome === "block" && words !== REVIEW ? "fail" : reading.outcome;
}
const literal = (text: string): string =>
  text.replaceAll("⏎", "\n").replaceAll("␍", "\r").replaceAll("⟦3⟧", "```").replaceAll("⟦4⟧", "````");

type Row = [id: string, text: string | undefined, expected: string, words?: VerdictFile];
const rows: Row[] = [
  ["completion-v1", "VERDICT: PASS", "pass"],
  ["completion-v2", "**VERDICT: PASS**", "pass"],
  ["completion-v3", "## Verdict: pass", "pass"],
  ["completion-v4", "- VERDICT: **PASS**", "pass"],
  ["completion-v5", "**VERDICT**: FAIL", "fail"],
  ["completion-v6", " VERDICT : PASS", "pass"],
  ["completion-v7", "verdict: Pass.", "pass"],
  ["completion-v8", "VERDICT: PASS!", "pass"],
  ["completion-v9", "VERDICT: PASS␍⏎", "pass"],
  ["completion-v10", "✅ VERDICT: PASS", "pass"],
  ["completion-v11", "VERDICT: PASS — but the retry test is flaky", "pass with conditions"],
  ["completion-v12", "VERDICT: NOT PASS", "fail"],
  ["completion-v13", "VERDICT: PASS⏎⏎VERDICT: FAIL", "fail"],
  ["completion-v14", "VERDICT: FAIL⏎⏎VERDICT: PASS", "pass"],
  ["completion-v15", "VERDICT: FAIL⏎⏎VERDICT: UNDECIDED", "unclear"],
  ["completion-v16", "VERDICT: FAIL⏎⏎> VERDICT: PASS", "fail"],
  ["completion-v17", "VERDICT: FAIL⏎⟦3⟧⏎VERDICT: PASS⏎⟦3⟧", "fail"],
  ["completion-v18", "VERDICT: PASS was considered", "unclear"],
  ["completion-v19", "VERDICT: PASSED", "unclear"],
  ["completion-v20", "VERDICT: PASS/FAIL", "unclear"],
  ["completion-v21", "VERDICT: PASS?", "unclear"],
  ["completion-v22", "VERDICT - PASS", "unclear"],
  ["completion-v23", "Final verdict: PASS", "unclear"],
  ["completion-v24", "VERDICT:", "unclear"],
  ["completion-v25", "", "unclear"],
  ["completion-v26", undefined, "unclear"],
  ["completion-v27", "The tests pass and I approve.", "unclear"],
  ["completion-v28", "VERDICT: NEEDS_CHANGES", "fail", APPROVED],
  ["completion-v29", "VERDICT: CHANGES REQUESTED", "unclear", APPROVED],
  ["completion-v30", "VERDICT: changes requested", "fail", ALIAS],
  ["completion-v31", "VERDICT: APPROVED WITH COMMENTS", "unclear", APPROVED],
  ["completion-v32", "VERDICT: NOT APPROVED", "fail", APPROVED],
  ["completion-v33", "**Verdict:** APPROVED", "approved", REVIEW],
  ["completion-v34", "**Verdict:** APPROVED_WITH_WARNINGS", "approved-with-warnings", REVIEW],
  ["completion-v35", "**Verdict:** APPROVED⏎…⏎**Verdict:** BLOCKED", "block", REVIEW],
  ["completion-v36", "**Veredicto:** BLOCKED", "block", REVIEW],
  ["completion-v37", "Looks great, ship it.", "unclear", REVIEW],
  ["completion-v38", "VERDICT: DOES NOT PASS", "fail"],
  ["completion-v39", "VERDICT: PASS. All 42 tests are green.", "pass"],
  ["completion-v40", "VERDICT: PASS or FAIL", "unclear"],
  ["completion-v41", "\uFEFFVERDICT: PASS", "pass"],
  ["completion-v42", "VERDICT: NEEDS  CHANGES", "fail", APPROVED],
];
test.each(rows)("%s: %j is %s", (_id, text, expected, words) => {
  verifies("verdict.decoration", "verdict.last-line-wins");
  expect(read(text === undefined ? undefined : literal(text), words)).toBe(expected);
});
test("the whole table is here", () => {
  expect(rows.map(([id]) => id)).toEqual(Array.from({ length: 42 }, (_, i) => `completion-v${i + 1}`));
});

const messages: [string, string][] = [
  ["completion-m1", "I am not yet outputting <promise>DONE</promise>."],
  ["completion-m2", "When it works I will write <promise>DONE</promise>."],
  ["completion-m3", 'The loop wants "<promise>DONE</promise>" from me.'],
  ["completion-m4", "⟦3⟧⏎<promise>DONE</promise>⏎⟦3⟧"],
  ["completion-m5", "DONE"],
  ["completion-m6", "All tasks are complete and everything passes."],
  ["completion-m7", "EXIT_SIGNAL: false⏎The work is complete."],
  ["completion-m8", ""],
];
test.each(messages)("%s: %j settles nothing", (_id, text) => {
  expect(read(literal(text), file({ DONE: pass, REDO: fail }))).toBe("unclear");
});

const more: Row[] = [
  ["completion-4 whole phrase", "VERDICT: READY TO SHIP", "pass", file({ "READY TO SHIP": pass, "NOT READY": fail })],
  ["completion-4 part of a phrase", "VERDICT: READY", "unclear", file({ "READY TO SHIP": pass, "NOT READY": fail })],
  ["a negated phrase", "VERDICT: not ready to ship", "fail", file({ "READY TO SHIP": pass, "NOT READY": fail })],
  ["completion-20", "The last round ended with Verdict: BLOCKED because.⏎**Verdict:** APPROVED", "approved", REVIEW],
  ["completion-23", "VERDICT: PASS — pending the licence check", "pass with conditions"],
  ["completion-29", "**Verdict:** APPROVED_PENDING_MANUAL", "pending-manual", REVIEW],
  [
    "worst of three",
    "Verdict: APPROVED_PENDING_MANUAL⏎Verdict: APPROVED⏎Verdict: APPROVED_WITH_WARNINGS",
    "pending-manual",
    REVIEW,
  ],
  ["a block beside what cannot be read", "Verdict: BLOCKED⏎Verdict: see below", "block", REVIEW],
  ["an approval beside what cannot be read", "Verdict: APPROVED⏎Verdict: see below", "unclear", REVIEW],
  ["a bare heading and an approval", "## Verdict:⏎**Verdict:** APPROVED", "approved", REVIEW],
  ["a negated approval with warnings", "Verdict: NOT APPROVED_WITH_WARNINGS", "block", REVIEW],
  ["no double negation", "VERDICT: NOT NOT PASS", "unclear"],
  ["a negated fail is no pass", "VERDICT: NOT FAIL", "unclear"],
  ["n't", "VERDICT: it didn’t PASS", "fail"],
  ["bold negation", "VERDICT: **NOT** PASS", "fail"],
  ["not yet", "VERDICT: has not yet been PASS", "fail"],
  ["a comma", "VERDICT: PASS, if the licence allows", "pass with conditions"],
  ["a bracket", "VERDICT: PASS (conditional)", "pass with conditions"],
  ["a hyphen", "VERDICT: **PASS** - but slow", "pass with conditions"],
  ["a semicolon", "VERDICT: PASS; see the notes", "pass with conditions"],
  ["a caveat that says the opposite", "VERDICT: PASS, FAIL on Windows", "unclear"],
  ["a caveat that only denies", "VERDICT: PASS (not)", "unclear"],
  ["an empty caveat", "VERDICT: PASS —", "unclear"],
  ["a fail with a remark", "VERDICT: FAIL — two tests", "fail"],
  ["a longer word", "VERDICT: PASS-WITH-RISK", "unclear"],
  ["another word joined by _", "VERDICT: PASS_IF_GREEN", "unclear"],
  ["a file name", "VERDICT: PASS.md", "unclear"],
  ["no line start", "- the line VERDICT: PASS is missing", "unclear"],
  ["a list number", "3. **Verdict:** `PASS`", "pass"],
  ["a closed heading", "## VERDICT: PASS ##", "pass"],
  ["a sign of two characters", "⚠️ VERDICT: FAIL", "fail"],
  ["a joined sign", "👩‍⚖️ VERDICT: FAIL", "fail"],
  ["an open ballot box", "- [ ] VERDICT: PASS", "unclear"],
  ["a struck-out line", "VERDICT: FAIL⏎~~VERDICT: PASS~~", "fail"],
  ["a quoted word", '"VERDICT: PASS"', "unclear"],
  ["a table", "| VERDICT: PASS |", "unclear"],
  ["another sign than a colon takes a pass away", "VERDICT: PASS⏎VERDICT — FAIL", "unclear"],
  ["a word of another alphabet", "VERDICT: PAß", "unclear"],
  ["NUL in the word", "VERDICT: PA\0SS", "unclear"],
  ["NUL behind the word", "VERDICT: PASS\0", "unclear"],
  ["a hidden keyword takes a pass away", "VERDICT: PASS⏎VER\u200BDICT: FAIL", "unclear"],
  ["colours of a terminal", "\u001B[32mVERDICT: PASS\u001B[0m", "unclear"],
  ["a lone carriage return ends a line", "VERDICT: PASS␍VERDICT: FAIL", "fail"],
  ["four backticks hold three", "VERDICT: FAIL⏎⟦4⟧⏎⟦3⟧⏎VERDICT: PASS⏎⟦4⟧", "fail"],
  ["tildes", "VERDICT: FAIL⏎~~~⏎VERDICT: PASS⏎~~~", "fail"],
  ["a fence in a list", "VERDICT: FAIL⏎- ⟦3⟧text⏎  VERDICT: PASS⏎  ⟦3⟧", "fail"],
  ["a deeper fence does not close", "⟦3⟧⏎    ⟦3⟧⏎VERDICT: PASS⏎⟦3⟧", "unclear"],
  ["behind a closed fence", "⟦3⟧⏎x⏎⟦3⟧⏎VERDICT: PASS", "pass"],
  ["a code span of three backticks opens nothing", "⟦3⟧x⟦3⟧ is code⏎VERDICT: PASS", "pass"],
  ["a fence that never ends", "VERDICT: PASS⏎⟦3⟧⏎log⏎VERDICT: FAIL", "unclear"],
  ["a fence that never ends gives no pass", "VERDICT: FAIL⏎⟦3⟧⏎VERDICT: PASS", "fail"],
  ["indented code", "VERDICT: FAIL⏎⏎    VERDICT: PASS", "fail"],
  ["indented in a list", "- report⏎⏎    VERDICT: PASS", "pass"],
  ["quoted in a list", "VERDICT: FAIL⏎- > VERDICT: PASS", "fail"],
  ["a quoting element", "VERDICT: FAIL⏎<pre>⏎VERDICT: PASS⏎</pre>", "fail"],
  ["a comment", "VERDICT: FAIL⏎<!-- VERDICT: PASS -->", "fail"],
  ["a comment of three lines", "VERDICT: FAIL⏎<!--⏎VERDICT: PASS⏎-->", "fail"],
  ["a comment behind text", "VERDICT: FAIL⏎so <!--⏎VERDICT: PASS⏎--> it is", "fail"],
  ["a comment behind the verdict", "VERDICT: PASS <!-- or FAIL -->", "pass"],
  ["the word in a comment", "VERDICT: <!-- PASS -->", "unclear"],
  ["the sign of a comment in code hides nothing", "VERDICT: PASS⏎Mind the `<!--` sign.⏎VERDICT: FAIL⏎`-->`", "fail"],
  ["the sign of a comment alone hides nothing", "VERDICT: PASS⏎Mind the <!-- sign.⏎VERDICT: FAIL", "fail"],
];
test.each(more)("%s: %j is %s", (_id, text, expected, words) => {
  expect(read(literal(text ?? ""), words)).toBe(expected);
});

describe("a reading", () => {
  test("keeps the caveat and the earlier lines", () => {
    expect(readVerdict("VERDICT: FAIL\n\n**VERDICT: PASS** (once *merged*)", PASS_FAIL)).toEqual({
      outcome: "pass",
      status: "pass",
      line: "**VERDICT: PASS** (once *merged*)",
      caveat: "once *merged",
      earlier: ["VERDICT: FAIL"],
    });
  });
  test("says which of the ways to be unclear it is", () => {
    expect(readVerdict(undefined, PASS_FAIL)).toEqual({ unclear: '"report.md" was not written' });
    expect(readVerdict(" \n", PASS_FAIL)).toEqual({ unclear: '"report.md" is empty' });
    expect(readVerdict("All good.", PASS_FAIL)).toEqual({
      unclear: '"report.md" has no line that says "VERDICT: PASS" or "VERDICT: FAIL"',
    });
    expect(readVerdict("> VERDICT: PASS", PASS_FAIL)).toEqual({
      unclear: '"report.md" has no line that says "VERDICT: PASS" or "VERDICT: FAIL" outside code, quotes and comments',
    });
    expect(readVerdict("VERDICT: PASSED", PASS_FAIL)).toEqual({
      unclear:
        '"report.md" has the verdict line "VERDICT: PASSED", which names no declared word as a whole; wanted is "VERDICT: PASS" or "VERDICT: FAIL"',
    });
  });
  test("keeps a bounded number of bounded lines", () => {
    const reading = readVerdict(`${"VERDICT: FAIL\n".repeat(99)}VERDICT: PASS. ${"a".repeat(9_999)}`, PASS_FAIL);
    if ("unclear" in reading) throw new Error(reading.unclear);
    expect(reading.earlier).toHaveLength(EARLIER_LINES_MAX);
    expect(reading.line).toHaveLength(VERDICT_LINE_CHARS_MAX);
  });
  test("takes the worst review whatever the order", () => {
    verifies("review.verdict.worst-wins");
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(REVIEW.words), { minLength: 1 }), fc.boolean(), (said, old) => {
        const text = said.map((word) => `**${old ? "Veredicto" : "Verdict"}:** ${word}`).join("\n\n");
        const worst = Object.keys(REVIEW.words).findLast((word) => said.includes(word)) ?? "";
        expect(readVerdict(text, REVIEW)).toMatchObject(REVIEW.words[worst] ?? {});
      }),
    );
  });
});
test("the lines an agent may write are the first word of each outcome", () => {
  expect(verdictLines(ALIAS)).toEqual(["VERDICT: APPROVED", "VERDICT: NEEDS CHANGES"]);
});
