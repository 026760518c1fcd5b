// The four bodies of a loop file, each a strict schema with the keys of every file; and how each is read.
import { z } from "zod";
import { COMMON, readCommon } from "./common.js";
import { compact } from "./compact.js";
import type { Body, LoopFile } from "./file.js";
import { count, insidePath, keys, oneOrMore, slug, someOf } from "./leaf.js";
import { NODES, readNodes } from "./nodes.js";
import { readProduces, readSteps, STEPS } from "./steps.js";

const SKILLS = {
  skills: someOf(slug("the name of a skill"), "skills").meta({
    description: "A sequence of skills, checked at the end.",
  }),
};
const DOER = {
  doer: slug("the name of an agent").meta({ description: "The agent that does the work." }),
  reviewer: oneOrMore(slug("the name of an agent"), "agents").meta({
    description: "Who reviews; of several the worst verdict wins.",
  }),
  plan: insidePath("a document of the repository").optional().meta({ description: "A document that must exist." }),
  artifact: insidePath("a file name")
    .default("REVIEW.md")
    .meta({ description: "The file of the review. Default REVIEW.md." }),
  max_iter: count().default(5).meta({ description: "Iterations of a round. Default 5." }),
  max_resets: count().default(3).meta({ description: "Rounds; then the loop is killed. Default 3." }),
};

/** The keys of each body besides those of every file. */
export const BODY_KEYS: Record<Body, string[]> = {
  skills: Object.keys(SKILLS),
  steps: Object.keys(STEPS),
  doer: Object.keys(DOER),
  nodes: Object.keys(NODES),
};

export const skillsSchema = keys({ ...COMMON, ...SKILLS });
export const stepsSchema = keys({ ...COMMON, ...STEPS });
export const doerSchema = keys({ ...COMMON, ...DOER });
export const nodesSchema = keys({ ...COMMON, ...NODES });
/** For a file whose body is not known: its other keys can be judged all the same. */
export const anyBodySchema = keys({
  ...COMMON,
  ...Object.fromEntries(
    Object.values(BODY_KEYS).flatMap((names) => names.map((name) => [name, z.unknown().optional()])),
  ),
});

export type Read = { file: LoopFile } | { issues: z.core.$ZodIssue[] };

/** What the schema makes of the data; `undefined`: the body is not known and there is nothing to make. */
export function readBody(body: Body | undefined, data: unknown): Read {
  switch (body) {
    case "skills":
      return reading(skillsSchema, data, ({ skills, ...rest }) => ({ body, ...readCommon(rest, true), skills }));
    case "steps":
      return reading(stepsSchema, data, ({ steps, ...rest }) => ({
        body,
        ...readCommon(rest, false),
        steps: readSteps(steps),
      }));
    case "doer":
      return reading(doerSchema, data, readDoer);
    case "nodes":
      return reading(nodesSchema, data, ({ nodes, start, max_repairs, ...rest }) => {
        const graph = readNodes(nodes, max_repairs);
        return { body, ...readCommon(rest, false), nodes: graph, start: start ?? graph[0]?.id ?? "" };
      });
    case undefined:
      return { issues: anyBodySchema.safeParse(data).error?.issues ?? [] };
  }
}

function readDoer({
  doer,
  reviewer,
  plan,
  artifact,
  max_iter,
  max_resets,
  ...rest
}: z.output<typeof doerSchema>): LoopFile {
  const reviewers = readProduces(reviewer);
  const own = compact({ doer, reviewers, plan, artifact, maxIter: max_iter, maxResets: max_resets });
  return { body: "doer", ...readCommon(rest, false), ...own };
}

function reading<S extends z.ZodType>(schema: S, data: unknown, read: (parsed: z.output<S>) => LoopFile): Read {
  const parsed = schema.safeParse(data);
  return parsed.success ? { file: read(parsed.data) } : { issues: parsed.error.issues };
}
