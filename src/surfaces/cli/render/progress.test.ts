import { describe, expect, it } from "vitest";
import { exampleFlow, Tale } from "../../../../test/harness/tale.js";
import { viewOf } from "../../../core/view.js";
import { Painter, progressLines, type Scene } from "./progress.js";
import { widthOf } from "./width.js";

const tale = new Tale(exampleFlow("pipeline")).passes({ ms: 12_000, usd: 0.12 }).fails("exit code 1");
const scene = (line?: string): Scene => ({
  view: viewOf(tale.flow, tale.run),
  at: "dev",
  sinceMs: 1_000,
  ...(line === undefined ? {} : { line }),
});
const UP = "\u001b[1A\r\u001b[2K";

describe("progress", () => {
  it("says which step, which attempt, since when, what it cost and the last line of output", () => {
    expect(progressLines(scene("✔ adds up"), 66_000, 100)).toEqual([
      "pipeline (pipeline-1): step 1 of 5, dev, visit 2, attempt 2 of 10, for 1 min 5 s, 0.12 USD",
      "  ✔ adds up",
    ]);
  });

  it("is clean and fits the columns whatever the work prints", () => {
    const lines = progressLines(scene(`\u001b[2J\u001b[31m${"日".repeat(100)}\rx`), 2_000, 40);
    for (const line of lines) {
      expect(widthOf(line)).toBeLessThanOrEqual(40);
      expect(line).not.toMatch(/\p{C}/u);
    }
  });

  it("redraws one block on a terminal, and keeps said lines above it", () => {
    let out = "";
    const painter = new Painter((text) => (out += text), { terminal: true, columns: () => 200 });
    painter.paint(scene("a"), 2_000);
    const [head] = progressLines(scene("a"), 2_000, 199);
    expect(out).toBe(`${head}\n  a\n`);
    painter.paint(scene("a"), 2_000);
    out = "";
    painter.say("test failed\u001b[2J");
    expect(out).toBe(`${UP}${UP}test failed\n${head}\n  a\n`);
    out = "";
    painter.clear();
    painter.clear();
    expect(out).toBe(UP + UP);
  });

  it("writes plain lines elsewhere", () => {
    let out = "";
    const painter = new Painter((text) => (out += text), { terminal: false, columns: () => 80 });
    painter.paint(scene("a"), 2_000);
    painter.say("test failed");
    painter.clear();
    expect(out).toBe("test failed\n");
  });
});
