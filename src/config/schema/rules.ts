// Rules between keys: which go together, which exclude each other, what may not be there twice. They look at the data as the
// author wrote it, so that they are told together with every wrong value.
import { clean, listed, quote, show } from "../suggest.js";
import type { Complaint } from "./complaints.js";
import type { Path } from "./file.js";
import { isMap, label, valueAt } from "./label.js";

type Entry = { [key: string]: unknown };

const STEP_KINDS = ["agent", "skill", "command", "action", "gate", "loop"];
const ROUTES = ["name", "on_pass", "on_fail"];
const JUDGED = ["produces", "artifact", "verdicts", "max_iterations", "timeout"];
const STEP_KEYS: Record<string, string[]> = {
  agent: JUDGED,
  skill: JUDGED,
  command: ["timeout", "setup", "env"],
  action: ["params"],
  gate: ["options"],
  loop: [],
};
const NODE_WORK: Record<string, string[]> = {
  agent: ["agent", "skill"],
  human: ["question"],
  code: ["command", "action", "loop"],
};
const NODE_KEYS: Record<string, string[]> = {
  agent: ["timeout", "produces", "session"],
  skill: ["timeout", "produces", "session"],
  question: ["options", "session"],
  command: ["timeout", "setup", "env", "produces"],
  action: ["params", "produces"],
  loop: [],
};
const NODE_ALWAYS = ["id", "actor", "entry", "exit", "on", "max_repairs"];
const ENDS = ["success", "failure"];

export function checkRules(data: Entry): Complaint[] {
  return [
    ...entries(data, "steps").flatMap(([path, step]) => [
      ...checkStep(path, step, data),
      ...checkVerdicts(path, step, data),
    ]),
    ...entries(data, "nodes").flatMap(([path, node]) => checkNode(path, node, data)),
    ...checkNames(data, ["steps"], "name"),
    ...checkNames(data, ["nodes"], "id"),
    ...checkNames(data, ["validators"], "tool"),
    ...entries(data, "validators").flatMap(([path]) => checkNames(data, [...path, "checks"], "name")),
    ...checkTwice(data, ["reviewer"]),
    ...[...entries(data, "steps"), ...entries(data, "nodes")].flatMap(([path]) =>
      checkTwice(data, [...path, "options"]),
    ),
    ...checkPerformers(data),
  ];
}

function checkStep(path: Path, step: Entry, data: Entry): Complaint[] {
  const found = STEP_KINDS.filter((key) => key in step);
  const [kind] = found;
  if (found.length !== 1 || kind === undefined) return [wrongKind(path, found, STEP_KINDS, data)];
  return checkForeign(
    path,
    step,
    {
      kind,
      allowed: [...ROUTES, ...(STEP_KEYS[kind] ?? [])],
      known: [...ROUTES, ...STEP_KINDS, ...Object.values(STEP_KEYS).flat()],
    },
    data,
  );
}

function checkNode(path: Path, node: Entry, data: Entry): Complaint[] {
  const { actor } = node;
  const works = typeof actor === "string" && Object.hasOwn(NODE_WORK, actor) ? NODE_WORK[actor] : undefined;
  if (!works) return [];
  const all = Object.values(NODE_WORK).flat();
  const found = all.filter((key) => key in node);
  const [kind] = found;
  if (found.length !== 1 || kind === undefined || !works.includes(kind))
    return [wrongKind(path, found, works, data, `with actor ${String(actor)} `)];
  const known = [...all, ...NODE_ALWAYS, ...Object.values(NODE_KEYS).flat()];
  return [
    ...checkForeign(path, node, { kind, allowed: [...NODE_ALWAYS, ...(NODE_KEYS[kind] ?? [])], known }, data),
    ...checkEnds(path, node.id, "id", data),
  ];
}

function wrongKind(path: Path, found: string[], possible: string[], data: Entry, actor = ""): Complaint {
  const what = possible.length === 1 ? `the key ${possible[0]}` : `exactly one of ${listed(possible, "and")}`;
  const message = `${label(path, data)} ${actor}must have ${what}, not ${found.length === 0 ? "none" : listed(found, "and")}`;
  const place = found.length > 1 ? [...path, found[1] ?? ""] : path;
  return { path: place, code: "wrong-kind", message };
}

/** Keys that are known, but not for this kind. Unknown ones are the schema's business. */
function checkForeign(
  path: Path,
  entry: Entry,
  keys: { kind: string; allowed: string[]; known: string[] },
  data: Entry,
): Complaint[] {
  const own = keys.allowed.filter((key) => key !== "name" && !NODE_ALWAYS.includes(key));
  const rule = own.length === 0 ? "it has no keys of its own" : `it may have ${listed(own, "and")}`;
  return Object.keys(entry)
    .filter((key) => key !== keys.kind && keys.known.includes(key) && !keys.allowed.includes(key))
    .map((key) => ({
      path: [...path, key],
      code: "foreign-key",
      message: `${label([...path, key], data)} does not go with ${quote(keys.kind)}; ${rule}`,
    }));
}

function checkVerdicts(path: Path, step: Entry, data: Entry): Complaint[] {
  const complain = (key: string, message: string): Complaint => ({
    path: [...path, key],
    code: "missing-partner",
    message: `${label(path, data)} ${message}`,
  });
  const complaints: Complaint[] = [];
  if (!("agent" in step || "skill" in step)) return complaints;
  if ("artifact" in step && !("verdicts" in step))
    complaints.push(complain("artifact", 'has "artifact" but no "verdicts"; name the two words of the verdict'));
  if ("verdicts" in step && !("artifact" in step))
    complaints.push(complain("verdicts", 'has "verdicts" but no "artifact"; name the file that holds the verdict'));
  if ("produces" in step && "artifact" in step)
    complaints.push(complain("produces", 'has both "produces" and "artifact"; keep one'));
  const { verdicts } = step;
  if (isMap(verdicts) && isText(verdicts.pass) && isText(verdicts.fail) && fold(verdicts.pass) === fold(verdicts.fail))
    complaints.push({
      path: [...path, "verdicts", "fail"],
      code: "duplicate-name",
      message: `${label([...path, "verdicts"], data)} has ${show(verdicts.fail)} for both pass and fail`,
    });
  return complaints;
}

function checkNames(data: Entry, list: Path, key: string): Complaint[] {
  const firstOf = new Map<string, number>();
  const complaints: Complaint[] = [];
  const found = valueAt(data, list);
  for (const [index, entry] of (Array.isArray(found) ? found : []).entries()) {
    const name = isMap(entry) ? entry[key] : undefined;
    if (!isText(name)) continue;
    const path = [...list, index];
    const first = firstOf.get(name);
    if (list.length === 1 && key === "name") complaints.push(...checkEnds(path, name, key, data));
    if (first === undefined) firstOf.set(name, index);
    else
      complaints.push({
        path: [...path, key],
        code: "duplicate-name",
        message: `${label(path, data)} has the name of entry ${first + 1}; names are used once`,
      });
  }
  return complaints;
}

function checkEnds(path: Path, name: unknown, key: string, data: Entry): Complaint[] {
  if (!isText(name) || !ENDS.includes(name)) return [];
  const message = `${label(path, data)} has the name of an end of the run; success and failure are no names`;
  return [{ path: [...path, key], code: "bad-name", message }];
}

function checkTwice(data: Entry, path: Path): Complaint[] {
  const found = valueAt(data, path);
  if (!Array.isArray(found)) return [];
  return found.flatMap((entry, index): Complaint[] => {
    if (!isText(entry) || found.indexOf(entry) === index) return [];
    return [
      { path: [...path, index], code: "duplicate-name", message: `${label(path, data)} has ${quote(entry)} twice` },
    ];
  });
}

/** `run` goes with `use: command`, `command` with `use: acp`, and neither can do without. */
export function checkPerformers(data: Entry): Complaint[] {
  const agents = isMap(data.agents) ? data.agents : {};
  return Object.entries(agents).flatMap(([name, agent]) => checkPerformer(["agents", name], agent, data));
}
function checkPerformer(path: Path, agent: unknown, data: Entry): Complaint[] {
  const body: Entry = isMap(agent) ? agent : { use: agent };
  const pairs = [["command", "run"] as const, ["acp", "command"] as const];
  return pairs.flatMap(([use, key]): Complaint[] => {
    if ((body.use === use) === key in body) return [];
    const message = `${label(path, data)} with use: ${clean(String(body.use)).slice(0, 60)}`;
    if (body.use === use)
      return [{ path, code: "missing-partner", message: `${message} needs "${key}", the program to start` }];
    return isText(body.use)
      ? [
          {
            path: [...path, key],
            code: "foreign-key",
            message: `${message} has no "${key}"; that goes with use: ${use}`,
          },
        ]
      : [];
  });
}

function entries(data: Entry, key: string): [Path, Entry][] {
  const list = data[key];
  return (Array.isArray(list) ? list : []).flatMap((entry, index): [Path, Entry][] =>
    isMap(entry) ? [[[key, index], entry]] : [],
  );
}
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const fold = (word: string) => word.trim().toUpperCase();
