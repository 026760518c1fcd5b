// Did the visit change anything? A claim of being finished over an unchanged tree deserves a warning, or a stop.
import { z } from "zod";
import { FaultError } from "../ports/errors.js";
import { defineHook } from "./hook.js";

export const treeChanged = defineHook({
  name: "tree-changed",
  params: z.strictObject({ otherwise: z.enum(["warn", "block"]).default("warn") }),
  effect: false,
  does: "looks",
  outcomes: [],
  async look({ node, treeBefore, tree }, { otherwise }) {
    if (treeBefore === undefined)
      throw new FaultError({
        code: "tree-unknown",
        message: `the tree at the start of this visit of "${node.name}" is not known, so a change cannot be told`,
      });
    if ((await tree()) !== treeBefore) return { status: "pass", findings: [] };
    const blocks = otherwise === "block";
    const text = `"${node.name}" changed nothing: the tree is the one it began with`;
    return {
      status: blocks ? "block" : "pass",
      findings: [{ text, rule: "tree-changed", severity: blocks ? "error" : "warning" }],
    };
  },
});
