import { describe, expect, test } from "vitest";
import { LINE_BYTES_MAX, OUTPUT_CHARS_MAX } from "../../core/limits.js";
import { Lines } from "./lines.js";
import { endOf, oneLine, printable, Tail } from "./text.js";

function linesOf(chunks: Buffer[], bytesMax?: number): string[] {
  const seen: string[] = [];
  const lines = new Lines((line) => void seen.push(line), bytesMax);
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return seen;
}
const bytes = (text: string) => Buffer.from(text);

describe("lines", () => {
  test("a last line without a line feed is a line, an empty end is none", () => {
    expect(linesOf([bytes("a\nb")])).toEqual(["a", "b"]);
    expect(linesOf([bytes("a\n")])).toEqual(["a"]);
    expect(linesOf([])).toEqual([]);
  });
  test("a character that comes in single bytes is whole", () => {
    const single = [...bytes("añ🎉\r\n€")].map((byte) => Buffer.of(byte));
    expect(linesOf(single)).toEqual(["añ🎉", "€"]);
  });
  test("a line at the cap is whole, one byte more is cut and says so, and the next line is read", () => {
    expect(linesOf([bytes(`${"x".repeat(8)}\nnext`)], 8)).toEqual(["xxxxxxxx", "next"]);
    expect(linesOf([bytes("xxxxxxxx"), bytes("y\nnext")], 8)).toEqual(["xxxxxxxx [line cut: 1 bytes more]", "next"]);
  });
  test("the cut does not leave half a character", () => {
    expect(linesOf([bytes("xxx€\n")], 4)).toEqual(["xxx [line cut: 2 bytes more]"]);
  });
  test("200 MB without a line feed cost no more than the cap", () => {
    const chunk = Buffer.alloc(1 << 20, "z");
    let length = 0;
    const lines = new Lines((line) => {
      length = line.length;
    });
    for (let mb = 0; mb < 200; mb++) lines.push(chunk);
    lines.end();
    expect(length).toBeLessThan(LINE_BYTES_MAX + 100);
  });
});

describe("text", () => {
  test("escapes, control characters and direction marks are gone, tab and line feed stay", () => {
    expect(printable("\u001b[1;31mA\u001b[0m\tB\u0000\n\u001b]0;title\u0007C\u202eD\u009b")).toBe("A\tB\nCD");
  });
  test("one line is the first that says something", () => {
    expect(oneLine("\n  \n hello \nworld")).toBe("hello");
    expect(oneLine("x".repeat(400)).length).toBe(301);
  });
  test("the end of a text is marked when something was cut off, and never longer than the cap", () => {
    const whole = "x".repeat(OUTPUT_CHARS_MAX);
    expect(endOf(whole)).toBe(whole);
    const cut = endOf(`${whole}y`);
    expect(cut.length).toBe(OUTPUT_CHARS_MAX);
    expect(cut.startsWith("[… earlier output cut]\n")).toBe(true);
    expect(cut.endsWith("y")).toBe(true);
  });
  test("a tail keeps the last lines of very many, in bounded memory", () => {
    const tail = new Tail(100);
    for (let line = 0; line < 10_000; line++) tail.push(`line ${line}`);
    expect(String(tail)).toMatch(/^\[… earlier output cut\]\n[\s\S]*line 9998\nline 9999$/);
    expect(String(tail).length).toBeLessThanOrEqual(100);
  });
});
