import { describe, expect, it } from "vitest";
import { clean, cleanLines } from "./clean.js";
import { table } from "./table.js";
import { cut, fit, widthOf, wrap } from "./width.js";

const ESC = "\u001b";

describe("text from outside", () => {
  it.each([
    [`${ESC}[31mred${ESC}[0m`, "red"],
    [`${ESC}]0;title\u0007x`, "x"],
    [`${ESC}]8;;http://evil\u0007link${ESC}]8;;\u0007`, "link"],
    ["a\rb\nc\td", "a b c d"],
    ["a\u0000\u0008\u007f\u009bb", "ab"],
    ["user\u202etxt.exe\u200b", "usertxt.exe"],
    [`${ESC}${ESC}[31m[31mx`, "x"],
  ])("cannot steer a terminal: %j", (text, shown) => expect(clean(text)).toBe(shown));

  it("keeps its lines where lines are asked for", () => {
    expect(cleanLines("a\r\nb\u001b[2J\nc")).toEqual(["a", "b", "c"]);
  });
});

describe("columns", () => {
  it("count wide characters twice and marks not at all", () => {
    expect([widthOf("abc"), widthOf("日本"), widthOf("e\u0301"), widthOf("🚀")]).toEqual([3, 4, 1, 2]);
  });
  it("cut and fill by width", () => {
    expect(cut("日本語", 5)).toBe("日本…");
    expect(cut("日本語", 4)).toBe("日…");
    expect(fit("日", 4)).toBe("日  ");
  });
  it("wrap between words, and inside a word that is wider than the screen", () => {
    expect(wrap("one two three", 8, "  ")).toEqual(["one two", "  three"]);
    for (const line of wrap(`x ${"日".repeat(50)}`, 20, "  ")) expect(widthOf(line)).toBeLessThanOrEqual(20);
  });
});

describe("a table", () => {
  it("stays within the screen, the growing column gives way first", () => {
    const rows = [["n".repeat(100), "日".repeat(60), "42"]];
    const lines = table([{ head: "name", grows: true }, { head: "text" }, { head: "n", align: "right" }], rows, 80);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(lines[1]).toContain("…");
    expect(lines[1]).toMatch(/42$/);
  });
  it("has no heads without rows", () => expect(table([{ head: "x" }], [])).toEqual([]));
});
