// The JSON Schema of a loop file, for editors: made from the schemas that judge it, so that the two cannot disagree.
import { z } from "zod";
import { doerSchema, nodesSchema, skillsSchema, stepsSchema } from "./bodies.js";

export function loopJsonSchema(): Record<string, unknown> {
  const bodies = [
    named(skillsSchema(), "skills"),
    named(stepsSchema(), "steps"),
    named(doerSchema(), "doer/reviewer"),
    named(nodesSchema(), "nodes"),
  ];
  const schema = z.toJSONSchema(z.union(bodies), { io: "input", target: "draft-2020-12" });
  return {
    ...schema,
    title: "Pawl loop file",
    description: "One loop; exactly one of the bodies skills, steps, doer/reviewer and nodes.",
  };
}

function named<S extends z.ZodType>(schema: S, body: string): S {
  return schema.meta({ title: `${body} loop` });
}
