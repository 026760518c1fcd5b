// The memory bank's text: what is still open in it, and what Pawl adds without touching what people wrote.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  LEARNED_CHARS_MAX,
  LEARNED_MAX,
  LEARNINGS_CHARS_MAX,
  learnedIn,
  MEMORY_FILES,
  openLearnings,
  RUNS_KEPT_MAX,
  withNote,
  withoutOurs,
} from "./memory.js";

const note = (run: string, more: Partial<Parameters<typeof withNote>[1]> = {}) => ({
  run,
  line: `2026-11-30 ${run} ended`,
  learned: [],
  ...more,
});

describe("open learnings", () => {
  it("are the lines under their heading that are neither ticked nor struck out", () => {
    const text = `# Notes\n- not this\n## Open learnings and decisions\n\n- [ ] use uv, not pip\n  because of the lock\n- [x] done\n  with this\n- ~~given up~~\n- port 3000 is taken\n\n## Next\n- nor this\n`;
    expect(openLearnings(text)).toBe("- [ ] use uv, not pip\n  because of the lock\n- port 3000 is taken");
  });

  it.each([
    ["", ""],
    ["# Active context\n", ""],
    ["## Open learnings\n- <what was learned>\n- None yet.\n- [ ] TODO\n<!-- - hidden -->\n<!--\n- hidden\n-->\n", ""],
    ["```\n## Open learnings\n- in code\n```\n", ""],
    ["---\n# Open learnings\n---\n- no section\n", ""],
    ["## Settled decisions\n- closed\n", ""],
    ["### Decisions ###\nUse trunk.\n### Other\nx", "Use trunk."],
    ["## Open learnings\r\n- windows\r\n", "- windows"],
    ["## Learnings\n### Tests\n- slow\n", "### Tests\n- slow"],
    ["## Learnings\n### Tests\n- [x] slow\n", ""],
  ])("of %j are %j", (text, open) => {
    expect(openLearnings(text)).toBe(open);
  });

  it("are bounded in whole lines, the newest of them, and say how many were left out", () => {
    const line = (i: number) => `- learning ${String(i).padStart(4, "0")} ${"x".repeat(80)}`;
    const lines = Array.from({ length: 100 }, (_, i) => line(i));
    const told = openLearnings(`## Open learnings\n${lines.join("\n")}\n`).split("\n");
    expect(told[0]).toMatch(/^\(\d+ earlier lines are left out; they stand in \.pawl\/activeContext\.md\)$/);
    expect(told.slice(1)).toEqual(lines.slice(101 - told.length));
    expect(told.slice(1).join("\n").length).toBeLessThanOrEqual(LEARNINGS_CHARS_MAX);
    expect(told.length).toBeGreaterThan(35);
    expect(openLearnings(`## Open learnings\n- ${"y".repeat(99_999)}\n`)).toHaveLength(1_000 + " … (cut)".length);
  });
});

describe("a note", () => {
  it("makes the file and its sections, and its learnings are open at the next start", () => {
    const text = withNote("", note("dev-1", { learned: ["tests need a database"] }));
    expect(text).toContain("# Active context");
    expect(text).toMatch(/\n## Runs <!-- pawl -->\n\n- 2026-11-30 dev-1 ended <!-- pawl:dev-1 -->\n$/);
    expect(openLearnings(text)).toBe("- [ ] tests need a database");
    expect(withoutOurs(text)).toBe("");
  });

  it("changes nothing when it is added again, and replaces the line of a run that ended anew", () => {
    const once = withNote("# Mine\n", note("dev-1", { learned: ["a thing"] }));
    expect(withNote(once, note("dev-1", { learned: ["a thing"] }))).toBe(once);
    const anew = withNote(once, note("dev-1", { line: "2026-12-01 dev-1 passed" }));
    expect(anew).toBe(once.replace("2026-11-30 dev-1 ended", "2026-12-01 dev-1 passed"));
  });

  it("says nothing twice that a person has ticked, and keeps the ends of lines as they are", () => {
    const text = "# Mine\r\n## Learnings\r\n- [x] Use UV\r\n\r\n## Rest\r\n";
    expect(withNote(text, note("d", { learned: ["use uv"] }))).toBe(
      `${text}\r\n## Runs <!-- pawl -->\r\n\r\n- 2026-11-30 d ended <!-- pawl:d -->\r\n`,
    );
  });

  it("goes behind the last line of a section that is there", () => {
    const text = "## Open learnings\n\n- mine\n\n## Runs\n\n## Rest\n- x\n";
    expect(withNote(text, note("d", { learned: ["ours"] }))).toBe(
      "## Open learnings\n\n- mine\n- [ ] ours <!-- pawl:d -->\n\n## Runs\n- 2026-11-30 d ended <!-- pawl:d -->\n\n## Rest\n- x\n",
    );
  });

  it("lets go of the oldest of our own lines about runs, and of no other", () => {
    let text = "## Runs\n- a line of a person\n";
    for (let i = 0; i < RUNS_KEPT_MAX + 1; i++) text = withNote(text, note(`r-${i}`));
    expect(text.match(/<!-- pawl:/g)).toHaveLength(RUNS_KEPT_MAX);
    expect(text).not.toContain("r-0 ended");
    expect(text).toContain(`r-${RUNS_KEPT_MAX} ended`);
    expect(text).toContain("- a line of a person\n");
  });

  it("never changes, moves or drops a line of a person, whatever they wrote", () => {
    const line = fc.oneof(
      fc.constantFrom("## Open learnings", "## Runs", "# Runs", "```", "<!--", "-->", "- x", "", "---", "  - [x] y"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.string({ minLength: 1 })), (lines, said) => {
        const before = lines.join("\n").replaceAll("\r", "");
        const learned = learnedIn(said.map((text) => `Learned: ${text}`));
        const once = withNote(before, note("r-1", { learned }));
        const after = withNote(once, note("r-2"));
        expect(withoutOurs(after)).toBe(withoutOurs(before));
        expect(withNote(after, note("r-2"))).toBe(after);
      }),
    );
  });
});

describe("what was learned", () => {
  it("is what outputs say in lines of their own, outside code, each once", () => {
    const output =
      "I did it.\nLearned: the tests need a database\n- **Decided:** use trunk\n```\nLearned: quoted\n```\nWe Learned: no\nlearned: the tests need a database\n";
    expect(learnedIn([output])).toEqual(["the tests need a database", "Decided: use trunk"]);
  });

  it("is bounded, and cannot forge a mark, a comment, a heading or a second line", () => {
    const many = Array.from({ length: LEARNED_MAX + 5 }, (_, i) => `Learned: ${i}`).join("\n");
    expect(learnedIn([many])).toHaveLength(LEARNED_MAX);
    expect(learnedIn([`Learned: ${"x".repeat(500)}`])[0]).toHaveLength(LEARNED_CHARS_MAX);
    const hostile = "Learned: x <!-- pawl:dev-1 -->\u2028## Runs\u001b[31m\u202e<script>\r## Open";
    expect(learnedIn([hostile])).toEqual(["x ‹!-- pawl:dev-1 --> ## Runs‹script> ## Open"]);
    expect(learnedIn(["Learned:", "Learned:   "])).toEqual([]);
  });
});

it("a file that Pawl made holds nothing of people's, and nothing is served from it", () => {
  for (const text of Object.values(MEMORY_FILES)) expect([withoutOurs(text), openLearnings(text)]).toEqual(["", ""]);
});
