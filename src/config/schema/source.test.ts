import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/harness/verifies.js";
import { LOOP_FILE_BYTES_MAX, STEPS_MAX, YAML_ALIASES_MAX } from "../../core/limits.js";
import { formatIssue } from "../issues.js";
import { parseLoop } from "../parse.js";
import type { LoopFile } from "./file.js";
import { ISSUES_MAX, YAML_TOKENS_MAX } from "./source.js";
import { YAML_DEPTH_MAX } from "./walk.js";

const example = (name: string) =>
  readFileSync(new URL(`../../../test/examples/loops/${name}.yaml`, import.meta.url), "utf8");
function load(text: string) {
  const parsed = parseLoop(text, "l.yaml");
  if ("issues" in parsed) throw new Error(parsed.issues.map(formatIssue).join("\n"));
  return parsed;
}
const complaints = (text: string): string[] => {
  const parsed = parseLoop(text, "l.yaml");
  return "issues" in parsed ? parsed.issues.map(formatIssue) : [];
};
const codes = (text: string): string[] => {
  const parsed = parseLoop(text, "l.yaml");
  return "issues" in parsed ? parsed.issues.map((issue) => issue.code) : [];
};
const skills = (more: string) => `name: l\nskills: [a]\n${more}`;

describe("the text", () => {
  it.each([
    ["nothing", "", "empty-file"],
    ["comments only", "# hi\n", "empty-file"],
    ["an empty document", "---\n", "empty-file"],
    ["a list", "- a\n- b", "not-a-map"],
    ["a word", "hello", "not-a-map"],
    ["two documents", "name: l\n---\nname: m", "yaml-feature"],
    ["old YAML", "%YAML 1.1\n---\nname: l", "yaml-feature"],
    ["a bracket that is not closed", "name: [l", "not-yaml"],
    ["an alias of nothing", skills("goal_state: *x"), "not-yaml"],
    ["a tag of its own", skills("goal_state: !!js/function x"), "yaml-feature"],
    ["a key that is no text", skills("agents: {1: host}"), "yaml-feature"],
    ["a merge key", skills("<<: {name: x}"), "unknown-key"],
    ["a prototype", skills("__proto__: {a: 1}"), "bad-name"],
    ["a circle", skills("agents: &a {x: *a}"), "too-deep"],
    ["too many bytes", `name: ${"é".repeat(LOOP_FILE_BYTES_MAX / 2)}`, "file-too-large"],
    ["ten megabytes", "a".repeat(10 << 20), "file-too-large"],
    [
      "too many marks",
      "a,".repeat(YAML_TOKENS_MAX).replace(/^/, "x: [").slice(0, LOOP_FILE_BYTES_MAX),
      "file-too-large",
    ],
    ["brackets without end", "[".repeat(1 << 20), "too-deep"],
    ["depth by indentation", Array.from({ length: 1_000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"), "too-deep"],
  ])("is refused for %s", (_, text, code) => {
    verifies("loop.file.not-yaml");
    expect(codes(text)).toContain(code);
  });

  it("may begin with a byte order mark and end its lines as Windows does", () => {
    expect(load("\uFEFFname: l\r\nskills:\r\n  - a\r\n").file).toMatchObject({ name: "l", skills: ["a"] });
    expect(complaints("\uFEFFnaem: l\r\nname: l\r\nskills: [' ']\r\n").map((line) => line.slice(0, 12))).toEqual([
      'l.yaml:1:1 "',
      "l.yaml:3:10 ",
    ]);
  });

  it("may use as many aliases as the limit says, and not one more", () => {
    const list = (count: number) =>
      skills(`validators: &v []\nagents: {a: {use: llm, args: [&x x${", *x".repeat(count)}]}}`);
    expect(codes(list(YAML_ALIASES_MAX))).toEqual([]);
    expect(codes(list(YAML_ALIASES_MAX + 1))).toEqual(["too-many-aliases"]);
  });

  it("is stopped before aliases multiply", () => {
    const bomb = "abcdefghij".split("").map(
      (name, i, all) =>
        `${name}: &${name} [${Array(10)
          .fill(i === 0 ? "x" : `*${all[i - 1]}`)
          .join(", ")}]`,
    );
    expect(codes(bomb.join("\n"))).toEqual(["too-many-aliases"]);
  });

  it("nests as deep as the limit says", () => {
    const nested = (depth: number) =>
      `name: l\nsteps: [{name: s, action: a, params: {p: ${"[".repeat(depth)}${"]".repeat(depth)}}}]`;
    expect(codes(nested(YAML_DEPTH_MAX - 5))).toEqual([]);
    expect(codes(nested(YAML_DEPTH_MAX))).toEqual(["too-deep"]);
  });

  it("names a thousand steps at most, and no more complaints than a person reads", () => {
    const steps = (count: number) => `name: l\nskills: [${Array(count).fill("a").join(",")}]`;
    expect(codes(steps(STEPS_MAX))).toEqual([]);
    expect(codes(steps(STEPS_MAX + 1))).toEqual(["out-of-range"]);
    expect(codes(`name: l\nskills: [${Array(500).fill("'/'").join(",")}]`)).toHaveLength(ISSUES_MAX);
  });

  it("whatever it is, gives a file or issues that have a place in it, and never throws", () => {
    const words = [
      "name",
      "steps",
      "skills",
      "nodes",
      "doer",
      "on",
      ": ",
      "\n",
      "\n  ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a",
      "*a",
      "!!str ",
      '"',
      "'",
      "|\n",
      "#",
      "---\n",
      "? ",
      "<<",
      "__proto__",
      "\t",
      "%YAML 1.1\n",
      "null",
      "3",
      "~",
      "agent",
      "command",
      "toString",
      "\r\n",
      "\u0000",
      "\u{1F600}",
    ];
    const yamlish = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), { maxLength: 40 })
      .map((parts) => parts.join(""));
    const mutated = fc
      .tuple(fc.constantFrom("dev", "design", "pipeline", "phase"), fc.nat(900), fc.nat(30), fc.constantFrom(...words))
      .map(([name, at, cut, put]) => {
        const text = example(name);
        return text.slice(0, at) + put + text.slice(at + cut);
      });
    fc.assert(
      fc.property(fc.oneof(fc.string(), yamlish, mutated), (text) => {
        const parsed: { file: LoopFile } | { issues: { line: number; col: number; message: string }[] } = parseLoop(
          text,
          "l.yaml",
        );
        if ("file" in parsed) return parsed.file.name.length > 0;
        const lines = text.split("\n").length;
        return (
          parsed.issues.length > 0 &&
          parsed.issues.every(
            (one) =>
              one.line >= 1 &&
              one.line <= lines &&
              one.col >= 1 &&
              !/Invalid|undefined|expected/.test(one.message.replace(/"[^"]*"/g, "").replace(/^not YAML.*/, "")),
          )
        );
      }),
      { numRuns: 400 },
    );
  });
});
