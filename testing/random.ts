// Loop files, graphs and answers at random, for property tests. Not published.
import fc from "fast-check";
import type { CommonKeys, GraphNode, LoopFile, ValidatorUse } from "../src/config/schema/file.js";
import type { Budget, Command, Flow, Node, Route, Target, Verdict, Work } from "../src/core/model.js";
import { outcomesOf } from "../src/core/outcomes.js";
import {
  agentNode,
  agentStep,
  codeNode,
  commandStep,
  doerFile,
  flowOf,
  goto,
  humanNode,
  judgeStep,
  known,
  nodesFile,
  retry,
  skillsFile,
  stepsFile,
  use,
  validator,
} from "./files.js";

/** How often a property is tried; the nightly run sets more. */
export const RUNS = Number(process.env.PAWL_PROPERTY_RUNS ?? 150);
export const settings = { numRuns: RUNS, seed: Number(process.env.PAWL_PROPERTY_SEED ?? 42) };

/** One of several values, as the wider type. */
const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.nat(values.length - 1).map((i) => values[i] as T); // i is within

const policies: fc.Arbitrary<Partial<CommonKeys>> = fc.record({
  humanGate: fc.boolean(),
  validators: oneOf<ValidatorUse[]>(
    [],
    [validator("tests", true)],
    [validator("tests", true), validator("docs", false)],
  ),
  onOptionalFailure: fc.constantFrom("proceed" as const, "warn" as const, "pause" as const),
  failureHandling: fc.constantFrom("retry" as const, "pause" as const, "fail" as const),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  maxRepeats: fc.integer({ min: 1, max: 3 }),
  onComplete: oneOf<CommonKeys["onComplete"]>({}, { success: "validate", failure: "mend" }),
});
const until = oneOf<Partial<CommonKeys>>({}, { repeatUntil: "all_phases_complete" });

const skills = fc
  .tuple(fc.shuffledSubarray(["plan", "build", "commit"], { minLength: 1 }), policies, until)
  .map(([names, more, again]): LoopFile => skillsFile(names, { ...more, ...again }));

const doer = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 3 }),
    oneOf(["dev"], ["dev", "ann"]),
    policies,
    until,
  )
  .map(([maxIter, maxResets, reviewers, more, again]): LoopFile => {
    const performers = { dev: { use: "command" }, ann: { use: "command" } };
    return doerFile({ ...more, ...again, maxIter, maxResets, reviewers, performers });
  });

const goOf = (names: string[]) => (choice: number, again: boolean) => {
  const name = names[choice];
  if (name === undefined) return choice === names.length ? ({ go: "success" } as const) : ({ go: "failure" } as const);
  return again ? retry(name) : goto(name);
};
const ways = fc.tuple(fc.nat(6), fc.nat(6), fc.boolean(), fc.boolean(), fc.nat(2));

const steps = fc.tuple(fc.array(ways, { minLength: 1, maxLength: 4 }), policies).map(([drawn, more]): LoopFile => {
  const names = drawn.map((_, i) => `s${i}`);
  const go = goOf(names);
  const kinds = [agentStep, commandStep, judgeStep];
  return stepsFile(
    drawn.map(([pass, fail, onceMore, again, kind], i) => {
      const make = kinds[kind] ?? agentStep;
      // forward by default, so that most files are good
      const onward = i + 1;
      return make(`s${i}`, { onPass: go(pass > 4 ? pass : onward, onceMore), onFail: go(fail, again) });
    }),
    more,
  );
});

const nodes = fc.tuple(fc.array(ways, { minLength: 1, maxLength: 4 }), policies).map(([drawn, more]): LoopFile => {
  const names = drawn.map((_, i) => `n${i}`);
  const go = goOf(names);
  return nodesFile(
    drawn.map(([_, back, entry, exit, kind], i): GraphNode => {
      const onward = go(i + 1, false);
      const chains = {
        entry: entry ? [use("tell"), use("ci")] : [],
        exit: exit ? [use("tell"), use("lint"), use("ci")] : [],
        maxRepairs: 1 + (back % 3),
      };
      const on = { approved: onward, "approved-with-comments": onward, "changes-requested": go(back, false) };
      if (kind === 0) return agentNode(`n${i}`, { ...chains, on: { pass: onward } });
      if (kind === 1) return codeNode(`n${i}`, { ...chains, on: { pass: onward, block: go(back, false) } });
      return humanNode(`n${i}`, { ...chains, on });
    }),
    more,
  );
});

export const anyFile: fc.Arbitrary<LoopFile> = fc.oneof(skills, doer, steps, nodes);

/** A flow of a random file; undefined when the file is no good. */
export function flowIfGood(file: LoopFile): Flow | undefined {
  try {
    return flowOf(file);
  } catch {
    return undefined;
  }
}

// --- Graphs that nobody lowered: any routes, any budgets. Ways back mostly pay, but in no order, so about half of them are endless.
const NAMES = ["a", "b", "c", "d"];
const BUDGETS = ["x", "y", "z"];
const endings: fc.Arbitrary<Target> = oneOf<Target>({ end: "success" }, { end: "failure" }, { end: "killed" });
const parks: fc.Arbitrary<Target> = oneOf(...NAMES).map((node) => ({
  park: "exhausted",
  reason: "looked for",
  resume: { to: { node } },
}));
const places: fc.Arbitrary<Target> = oneOf(...NAMES).map((node) => ({ node }));
const seldom = <T>(rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: 12, arbitrary: usual });

const routeFrom = (i: number): fc.Arbitrary<Route> =>
  fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: places }, { weight: 2, arbitrary: endings }, { weight: 1, arbitrary: parks }),
      seldom(fc.constant<string[]>([]), fc.subarray(BUDGETS, { minLength: 1, maxLength: 2 })),
      fc.subarray(BUDGETS, { maxLength: 1 }),
      fc.boolean(),
    )
    .map(([to, drawn, refill, pays]) => {
      const forward = "node" in to && NAMES.indexOf(to.node) > i;
      const spend = forward && !pays ? [] : drawn;
      return { to, spend, refill: spend.length ? refill : [] };
    });
const budget: fc.Arbitrary<Budget> = fc
  .tuple(fc.nat(2), seldom(places, fc.oneof(endings, parks)), fc.option(endings, { nil: undefined }))
  .map(([limit, onExhausted, onRepeat]) => {
    const repeat = onRepeat ? { onRepeat } : {};
    return { limit, first: 0, setBy: "a test", frozen: false, onExhausted, ...repeat };
  });
const command: Work = { kind: "command", run: "true", timeoutMs: 1 };

export const anyGraph: fc.Arbitrary<Flow> = fc
  .tuple(fc.tuple(...NAMES.map((_, i) => fc.tuple(routeFrom(i), routeFrom(i)))), fc.tuple(budget, budget, budget))
  .map(([routes, [x, y, z]]) => {
    const made = routes.map(([pass, block], i): [string, Node] => {
      const name = NAMES[i] ?? "";
      return [name, { name, enter: [], exit: [], work: command, produces: [], routes: { pass, block } }];
    });
    return {
      ...flowOf(stepsFile([commandStep("a")])),
      start: "a",
      nodes: Object.fromEntries(made),
      budgets: { x, y, z },
    };
  });

// --- Answers.
const facts = known();
/** What may be said to a command: any outcome that its node can end with, of any status, from few complaints and trees. */
export function anyAnswer(command: Command, draw: (below: number) => number): Verdict {
  const status = command.do === "hook" ? (["pass", "block", "skip", "wait", "pass"] as const)[draw(5)] : undefined;
  const more = { print: `p${draw(3)}`, evidence: { loop: "l", tree: `t${draw(9)}` } };
  const findings = draw(2) ? [{ text: "f", severity: draw(2) ? ("error" as const) : ("warning" as const) }] : [];
  if (command.do !== "work") return { status: status ?? "pass", findings, ...more };
  const alone = { ...command.node, exit: [], work: command.work };
  const outcomes = [
    ...outcomesOf(alone, {
      action: (n) => facts.actions[n]?.outcomes ?? [],
      hook: (n) => facts.hooks[n]?.outcomes ?? [],
    }),
  ];
  const outcome = outcomes[draw(outcomes.length)] ?? "pass";
  return { status: outcome === "block" || outcome === "unclear" ? "block" : "pass", outcome, findings, ...more };
}

/** A small generator of numbers, so that one drawn seed gives a whole life of a run. */
export function dice(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}
