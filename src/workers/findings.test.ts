import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { FINDING_CHARS_MAX, FINDINGS_MAX } from "../core/limits.js";
import type { Finding } from "../core/model.js";
import { cleanText, cutFindings, cutToEnd, NO_FINDINGS_PRINT, printOfFindings } from "./findings.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const finding = (text: string, more: Partial<Finding> = {}): Finding => ({ text, severity: "error", ...more });
const print = (...findings: Finding[]): string => printOfFindings(findings, sha256);

test("as many findings as the limit are kept, one more is told as a number", () => {
  const many = Array.from({ length: FINDINGS_MAX }, (_, i) => finding(`${i}`, { severity: "warning" }));
  expect(cutFindings(many)).toEqual(many);
  const cut = cutFindings([...many, finding("last")]);
  expect(cut).toHaveLength(FINDINGS_MAX);
  expect(cut.at(-1)).toEqual({ text: "2 more findings are left out", severity: "error" });
});
test("a finding at the limit is whole, a longer one is cut with a mark", () => {
  const [whole, cut] = cutFindings([
    finding("a".repeat(FINDING_CHARS_MAX)),
    finding("a".repeat(FINDING_CHARS_MAX + 1)),
  ]);
  expect(whole?.text).toBe("a".repeat(FINDING_CHARS_MAX));
  expect(cut?.text).toHaveLength(FINDING_CHARS_MAX);
  expect(cut?.text).toMatch(/a … \(cut\)$/);
});
test("no control character, escape sequence or hidden mark gets through", () => {
  expect(cleanText("a\0b\u001B[31mc\u001B]0;title\u0007d\u202Ee\u{E0041}f\r\ng\th\uD800")).toBe("abcdef\ng\th\uFFFD");
  expect(cutFindings([finding("x", { where: "a\nb", rule: "r\u0007" })])).toEqual([
    finding("x", { where: "a b", rule: "r" }),
  ]);
});
test("the end of an output is kept and the cut is told", () => {
  expect(cutToEnd("abc", 3)).toBe("abc");
  const cut = cutToEnd("x".repeat(40_000), 4_000);
  expect(cut).toHaveLength(4_000);
  expect(cut).toMatch(/^\(the beginning is cut; 40000 characters in all\) … x+$/);
});
test("the print knows place and rule, whatever the text (stalls-21)", () => {
  const first = finding("total is not rounded", { where: "src/cart.ts", rule: "rounding" });
  expect(print(first)).toBe(print(finding("round to cents", { where: "src/cart.ts:7", rule: "rounding" })));
  expect(print(first)).not.toBe(print({ ...first, rule: "style" }));
});
test("the print sees neither order, repeats, times nor mere information", () => {
  const [a, b] = [finding("A at 2026-01-02T03:04:05Z"), finding("b")];
  expect(print(a, b)).toBe(print(b, finding("a at"), a, finding("note", { severity: "info" })));
  expect(print(a)).not.toBe(print(b));
});
test("without findings the print is one constant", () => {
  expect(print()).toBe(NO_FINDINGS_PRINT);
  expect(print(finding("note", { severity: "info" }))).toBe(NO_FINDINGS_PRINT);
});
