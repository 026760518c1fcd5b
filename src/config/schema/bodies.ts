// The four bodies of a loop file, each a strict schema with the keys of every file; and how each is read.
import { z } from "zod";
import { COMMON, readCommon } from "./common.js";
import { compact } from "./compact.js";
import type { Body, LoopFile } from "./file.js";
import { count, insidePath, keys, oneOrMore, slug, someOf } from "./leaf.js";
import { nodesKeys, readNodes } from "./nodes.js";
import { readProduces, readSteps, stepsKeys } from "./steps.js";

const skillsKeys = () => ({
  skills: someOf(slug("the name of a skill"), "skills").meta({
    description: "A sequence of skills, checked at the end.",
  }),
});
const doerKeys = () => ({
  doer: slug("the name of an agent").meta({
    description:
      "The agent that does the work; or the role of doer-STACK agents, each doing the tasks of the plan marked [STACK].",
  }),
  reviewer: oneOrMore(slug("the name of an agent"), "agents").meta({
    description: "Who reviews, or the role of reviewer-STACK agents; of several the worst verdict wins.",
  }),
  plan: insidePath("a document of the repository").optional().meta({ description: "A document that must exist." }),
  artifact: insidePath("a file name")
    .default("REVIEW.md")
    .meta({ description: "The file of the review. Default REVIEW.md." }),
  max_iter: count().default(5).meta({ description: "Iterations of a round. Default 5." }),
  max_resets: count().default(3).meta({ description: "Rounds; then the loop is killed. Default 3." }),
});

/** The keys of each body besides those of every file. */
export const BODY_KEYS: Record<Body, string[]> = {
  skills: ["skills"],
  steps: ["steps"],
  doer: ["doer", "reviewer", "plan", "artifact", "max_iter", "max_resets"],
  nodes: ["nodes", "start", "max_repairs"],
};

/** A schema takes milliseconds to make, and a file has one body: each is made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export const skillsSchema = once(() => keys({ ...COMMON, ...skillsKeys() }));
export const stepsSchema = once(() => keys({ ...COMMON, ...stepsKeys() }));
export const doerSchema = once(() => keys({ ...COMMON, ...doerKeys() }));
export const nodesSchema = once(() => keys({ ...COMMON, ...nodesKeys() }));
/** For a file whose body is not known: its other keys can be judged all the same. */
export const anyBodySchema = once(() =>
  keys({
    ...COMMON,
    ...Object.fromEntries(
      Object.values(BODY_KEYS).flatMap((names) => names.map((name) => [name, z.unknown().optional()])),
    ),
  }),
);

export type Read = { file: LoopFile } | { issues: z.core.$ZodIssue[] };

/** What the schema makes of the data; `undefined`: the body is not known and there is nothing to make. */
export function readBody(body: Body | undefined, data: unknown): Read {
  switch (body) {
    case "skills":
      return reading(skillsSchema(), data, ({ skills, ...rest }) => ({ body, ...readCommon(rest, true), skills }));
    case "steps":
      return reading(stepsSchema(), data, ({ steps, ...rest }) => ({
        body,
        ...readCommon(rest, false),
        steps: readSteps(steps),
      }));
    case "doer":
      return reading(doerSchema(), data, readDoer);
    case "nodes":
      return reading(nodesSchema(), data, ({ nodes, start, max_repairs, ...rest }) => {
        const graph = readNodes(nodes, max_repairs);
        return { body, ...readCommon(rest, false), nodes: graph, start: start ?? graph[0]?.id ?? "" };
      });
    case undefined:
      return { issues: anyBodySchema().safeParse(data).error?.issues ?? [] };
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
}: z.output<ReturnType<typeof doerSchema>>): LoopFile {
  const reviewers = readProduces(reviewer);
  const own = compact({ doer, reviewers, plan, artifact, maxIter: max_iter, maxResets: max_resets });
  return { body: "doer", ...readCommon(rest, false), ...own };
}

function reading<S extends z.ZodType>(schema: S, data: unknown, read: (parsed: z.output<S>) => LoopFile): Read {
  const parsed = schema.safeParse(data);
  return parsed.success ? { file: read(parsed.data) } : { issues: parsed.error.issues };
}
