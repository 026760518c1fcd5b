// skills: a straight sequence of skills. Gates and the validators at the end are put in by gates.ts and closing.ts.
import type { Node } from "../../core/model.js";
import type { SkillsFile } from "../schema/file.js";
import { attemptsBudget, type Draft, end, node, park, to } from "./build.js";
import type { Context } from "./context.js";

export function lowerSkills(file: SkillsFile, context: Context): Draft {
  const names = file.skills.map((skill, i) => numbered(skill, file.skills.indexOf(skill) === i ? 1 : i + 1));
  const nodes = file.skills.map((skill, i): Node => {
    const name = names[i] ?? skill;
    const after = names[i + 1];
    const performer = context.fallbackPerformer(["skills", i]);
    const prompt = context.skillText(skill, ["skills", i]);
    const ships = skill === PULL_REQUEST;
    const again = park("work-failed", `"${name}" did not come to its end`, to(name));
    return node(
      name,
      { kind: "agent", performer, prompt, access: "write", session: "inherit" },
      { pass: after ? to(after) : end("success"), block: again },
      { origin: context.origin(["skills", i], name), done: i, ...(ships && !after ? { shipsRecord: true } : {}) },
    );
  });
  const start = names[0] ?? "";
  return { start, steps: names, nodes, budgets: { attempts: attemptsBudget(file.maxAttempts) }, restart: "free" };
}

/** The skill that commits all there is, the record of its own run with it, and asks for the merge. */
const PULL_REQUEST = "create-pr";

const numbered = (name: string, position: number): string => (position === 1 ? name : `${name}#${position}`);
