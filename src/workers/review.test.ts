import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { NO_FINDINGS_PRINT } from "./findings.js";
import { normalise, printOf, readReview, WITHOUT_REASON } from "./review.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const REVIEW = `# Review
**Verdict:** BLOCKED

## Blockers
- [ ] the total is not rounded
  see \`src/cart.ts\`
- src/login.ts:12 [no-secrets]: a key stands in the source

### Details
1. the cache is never emptied

## Warnings
* a slow test

## Praise
- well named
`;

describe("the findings of a review", () => {
  test("are the items under Blockers and Warnings", () => {
    expect(readReview(REVIEW, "block")).toEqual([
      { text: "the total is not rounded\n  see `src/cart.ts`", severity: "error" },
      { text: "a key stands in the source", where: "src/login.ts:12", rule: "no-secrets", severity: "error" },
      { text: "the cache is never emptied", severity: "error" },
      { text: "a slow test", severity: "warning" },
    ]);
  });
  test.each([
    ["# blockers\n- a", "error"],
    ["###### BLOCKERS (1)\n- a", "error"],
    ["## 🚫 Blockers:\n- a", "error"],
    ["## 2. Warnings\n- a", "warning"],
    ["**Blockers:**\n- a", "error"],
    ["**Blockers**:\n\n- a", "error"],
    ["**Blockers:** a", "error"],
    ["Blockers:\n- a", "error"],
    ["__Warnings__\na", "warning"],
  ])("are found under %j", (text, severity) => {
    expect(readReview(text, "pass")).toEqual([{ text: "a", severity }]);
  });
  test.each([
    ["**Blockers:**\n- a\n\n**Praise:**\n- b"],
    ["## Blockers\n- a\n# End\n- b"],
    ["```\n## Warnings\n- b\n```\n## Blockers\n- a"],
    ["> ## Warnings\n> - b\n\n## Blockers\n- a"],
    ["## Blockers\n<!-- list them here -->\n- a\n\n**Verdict:** BLOCKED\n\n---"],
    ["## Blockers\n- a\n## Warnings\nNone."],
    ["## Blockers\n- a\n## Warnings\n- _no warnings_"],
  ])("are nothing but %j", (text) => {
    expect(readReview(text, "block")).toEqual([{ text: "a", severity: "error" }]);
  });
  test("code under a finding belongs to it, headings in it end nothing", () => {
    const [finding, ...rest] = readReview("## Blockers\n- a\n```sh\n# comment\n```\n- b", "block");
    expect(finding?.text).toBe("a\n```sh\n# comment\n```");
    expect(rest).toEqual([{ text: "b", severity: "error" }]);
  });
  test.each(["", "**Verdict:** BLOCKED", "## Blockers\n\nNone", "All is bad."])(
    "a block that lists none in %j stays a block without a reason (completion-30)",
    (text) => {
      expect(readReview(text, "block")).toEqual([WITHOUT_REASON]);
      expect(readReview(text, "pass")).toEqual([]);
      expect(printOf(text, sha256)).toBe(NO_FINDINGS_PRINT);
    },
  );
});

describe("the print of a review", () => {
  test("is 12 hex digits of the sha256 of the normalised lists", () => {
    verifies("oscillation.finding-hash");
    expect(normalise("## Blockers\n- B at 2026-01-02T03:04:05.678Z\n- A\n\n- a\n## Warnings\n* C")).toBe("a\nb at\nc");
    expect(printOf("## Blockers\n- B\n- A", sha256)).toBe(sha256("a\nb").slice(0, 12));
    expect(NO_FINDINGS_PRINT).toBe(sha256("").slice(0, 12));
  });
  test("sees no order, case, repeat, blank line, time or text elsewhere", () => {
    verifies("oscillation.finding-hash");
    const lines = ["the total is wrong", "no test for zero", "src/a.ts leaks", "slow"];
    const time = fc.constantFrom("", " 2026-01-02T03:04:05Z", " 2025-12-31 23:59:59+01:00", " 2026-01-02T03:04");
    const marker = fc.constantFrom("- ", "* ", "+ ", "1. ", "");
    const shuffled = fc.shuffledSubarray(lines, { minLength: lines.length });
    fc.assert(
      fc.property(shuffled, time, marker, fc.boolean(), fc.string(), (order, at, mark, loud, aside) => {
        const told = [...order, ...order.slice(0, 1)].map((line) => `${mark}${loud ? line.toUpperCase() : line}${at}`);
        const text = `# ${aside.replace(/[\r\n]/g, "")} -\n\n## Blockers\n\n${told.join("\n\n")}\n\n## Rest\n- ${aside.length}`;
        expect(printOf(text, sha256)).toBe(printOf(`## Warnings\n${lines.join("\n")}`, sha256));
      }),
    );
  });
  test("sees another finding", () => {
    expect(printOf("## Blockers\n- a", sha256)).not.toBe(printOf("## Blockers\n- b", sha256));
  });
  test("knows a finding with place and rule however it is worded (stalls-21)", () => {
    const first = "## Blockers\n- src/cart.ts:10 [rounding]: total is not rounded";
    const second = "## Blockers\n- `src/cart.ts:14` [rounding] the sum should be rounded\n  to cents";
    expect(printOf(first, sha256)).toBe(printOf(second, sha256));
    expect(printOf(first, sha256)).not.toBe(printOf(second.replace("rounding", "style"), sha256));
  });
});

test.each(["## Blockers\n", "**", "- a", "`", " ", "1234-12-12t12:12", "## Blockers\n- a/.", "(", "none "])(
  "a megabyte of %j is read in linear time",
  (piece) => {
    const begin = performance.now();
    printOf(`## Blockers\n- ${piece.repeat(1_000_000 / piece.length)}`, sha256);
    expect(performance.now() - begin).toBeLessThan(5_000);
  },
);
