// What is done at a node, in a line: its kind and its main settings.
import type { Hook, Json, Node, Work } from "../../../core/model.js";
import { kindOf } from "../../../core/view.js";
import { clean } from "./clean.js";

type Kinds = { [K in Work["kind"]]: (work: Extract<Work, { kind: K }>) => string };

const SETTINGS: Kinds = {
  none: () => "asks its checks only",
  agent: (work) =>
    [
      `agent ${work.performer}`,
      ...(work.stack?.plan ? [`the tasks marked [${work.stack.name}]`] : []),
      work.access === "read" ? "may read" : "may write",
      work.session === "new" ? "new session" : "goes on in its session",
      ...(work.verdict ? [`verdict ${Object.keys(work.verdict.words).join(" | ")} in ${work.verdict.artifact}`] : []),
      ...(work.turnsMax === undefined ? [] : [`at most ${work.turnsMax} turns`]),
      ...timeout(work.timeoutMs),
    ].join(", "),
  command: (work) =>
    [
      `runs: ${work.run}`,
      ...(work.setup ? [`setup: ${work.setup}`] : []),
      ...timeout(work.timeoutMs),
      ...(work.env ? [`env ${Object.keys(work.env).join(", ")}`] : []),
    ].join(", "),
  action: (work) => `action ${work.action} ${JSON.stringify(work.params)}`,
  check: (work) => validatorText(work.params) ?? `check ${work.hook}${settings(work.params)}`,
  ask: (work) => `asks a person: ${work.question} [${work.options.join(" | ")}]`,
  flow: (work) => `runs the loop ${work.flow}`,
  fan: (work) => {
    const parts = Object.entries(work.branches).map(([name, part]) => `${name}: ${settingsOf(part)}`);
    return `${work.inTurn ? "one after another" : "side by side"}, the worst verdict wins: ${parts.join("; ")}`;
  },
};

export function settingsOf(work: Work): string {
  // each entry takes the work of its own kind; the table's type says so, an index of a union cannot
  const say = SETTINGS[work.kind] as (work: Work) => string;
  return clean(say(work));
}

/** The lines below a step's head: what is done, what is looked at before and after, what it leaves. */
export function nodeSettings(node: Node): string[] {
  return [
    settingsOf(node.work),
    ...hooks("entry checks", node.enter),
    ...hooks("exit checks", node.exit),
    ...(node.produces.length ? [clean(`leaves ${node.produces.join(", ")}`)] : []),
  ];
}

/** The author's word for the node, and `validators` for what judges at the end. */
export const kindText = (node: Node): string =>
  node.work.kind === "fan" && node.phase === "validating" ? "validators" : kindOf(node);

const settings = (params: Json): string => (JSON.stringify(params) === "{}" ? "" : ` ${JSON.stringify(params)}`);

/** What a validator must report, where these are the settings of one. */
function validatorText(params: Json): string | undefined {
  if (typeof params !== "object" || params === null || !("tool" in params)) return undefined;
  const { checks, timeout_seconds: seconds } = params;
  const named = (Array.isArray(checks) ? checks : []).flatMap((check) => {
    if (typeof check !== "object" || check === null || !("name" in check)) return [];
    return [`${check.name}${check.required === false ? " (optional)" : ""}`];
  });
  return `${named.length ? `checks ${named.join(", ")}` : "judged by its own word"}${seconds ? `; timeout ${seconds} s` : ""}`;
}

const hooks = (what: string, list: Hook[]): string[] =>
  list.length ? [clean(`${what}: ${list.map((each) => each.hook).join(", ")}`)] : [];
const timeout = (ms: number | undefined): string[] => (ms === undefined ? [] : [`timeout ${ms / 1000} s`]);
