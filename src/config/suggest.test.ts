import { describe, expect, it } from "vitest";
import { clean, listed, nearest, quote, SUGGEST_CHARS_MAX } from "./suggest.js";

describe("the nearest word", () => {
  it.each([
    ["wran", ["proceed", "warn", "pause"], "warn"],
    ["human_gates", ["human_gate", "name"], "human_gate"],
    ["maxAttempts", ["max_attempts"], "max_attempts"],
    ["on-pass", ["on_pass", "on_fail"], "on_pass"],
    ["zzz", ["name"], undefined],
    ["x", ["y"], undefined],
    ["", ["a"], undefined],
    ["a".repeat(SUGGEST_CHARS_MAX + 1), ["a".repeat(SUGGEST_CHARS_MAX)], undefined],
  ])("to %j among %j is %j", (word, known, found) => expect(nearest(word, known)).toBe(found));
});

describe("words for messages", () => {
  it("are listed as people write them", () => {
    expect([listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "and")]).toEqual([
      "",
      "a",
      "a or b",
      "a, b and c",
    ]);
  });
  it("lose what steers a terminal, and are cut", () => {
    expect(clean("a\u001b[2J\nb\u202Ec")).toBe("a[2J bc");
    expect(quote("x".repeat(61))).toBe(`"${"x".repeat(60)}…"`);
  });
});
