// An agent step: one turn of a performer, judged by what it wrote and never by what it said (P1).
import { HOST } from "../core/hosts.js";
import { sum } from "../core/ledger.js";
import type { Finding, Flow, Performer, Verdict, Work } from "../core/model.js";
import { ownerOf } from "../core/place.js";
import { standInFor } from "../core/setback.js";
import type { Agent, AgentEnd, Total } from "../ports/agent.js";
import type { Door } from "../ports/door.js";
import { FaultError } from "../ports/errors.js";
import type { Read } from "../ports/files.js";
import type { Answer, Begin, Task, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { promptOf } from "./agent-prompt.js";
import { cutFindings } from "./findings.js";
import type { PromptParts } from "./prompt.js";
import { printOf, readReview } from "./review.js";
import { keepSession, keptSession } from "./sessions.js";
import { nothingToDo } from "./share.js";
import { openTools, toldTools, withoutThese } from "./tools.js";
import { readVerdict, verdictLines } from "./verdict.js";
import { evidenceOf, judgesTouchedBy, openVisit, type Visit } from "./visit.js";

type AgentWork = Extract<Work, { kind: "agent" }>;
/** A turn without a `timeout` of its own. */
const TURN_MS = 4 * 3_600_000;
/** The folder of this try is a fresh one: what the session wrote into the former is not read. */
const goOn = (artifacts: string): string =>
  `You were cut off in the middle of your work. Look at what is done already, and go on with the task you were given. What you are to write as an artifact now belongs into ${artifacts} (PAWL_ARTIFACTS), also where you had written it before.`;

export const agentWorker = (shop: Workshop): Worker => ({
  name: "agent",
  here: (command, flow) =>
    command.do !== "work" ||
    command.work.kind !== "agent" ||
    performerOf(shop, flow, command.work.performer)?.use !== HOST,
  begin: (command, run, flow) => beginTurn(shop, { command, run, flow }),
  carryOut: async (task, signal) => {
    if (task.command.do !== "work" || task.command.work.kind !== "agent") throw new Error("unreachable: not an agent");
    try {
      return await turn(shop, task, task.command.work, signal);
    } catch (error) {
      if (error instanceof FaultError) return { fault: error.record };
      throw error;
    }
  },
});

const performerOf = (shop: Workshop, flow: Flow, name: string): Performer | undefined => {
  const performer = flow.performers[name];
  return performer?.use === HOST ? (shop.standIn ?? performer) : performer;
};

/** A try after a crash goes on in the session of the one that died; `session: inherit` goes on in the last visit's. */
function beginTurn(shop: Workshop, { command, run, flow }: Pick<Task, "command" | "run" | "flow">): Begin {
  if (command.do !== "work" || command.work.kind !== "agent") throw new Error("unreachable: not an agent");
  const { work, ticket } = command;
  const performer = standInFor(run, work.performer);
  const agent = shop.agents.get(performerOf(shop, flow, performer)?.use ?? "");
  const last = run.sessions[ownerOf(ticket)];
  if (!agent?.choosesSession)
    return last && work.session === "inherit" ? { performer, session: last, resumes: true } : { performer };
  const cutOff = (run.tries[ticket] ?? 0) > 0 || run.setbacks?.[ownerOf(ticket)] !== undefined;
  if (last && (cutOff || work.session === "inherit")) return { performer, session: last, resumes: true };
  return { performer, session: shop.clock.uuid() };
}

async function turn(shop: Workshop, task: Task, work: AgentWork, signal: AbortSignal): Promise<Answer> {
  const performer = performerOf(shop, task.flow, task.begin.performer);
  const agent = performer && shop.agents.get(performer.use);
  if (!performer || !agent) {
    return {
      fault: {
        code: "agent-missing",
        message: `Nothing here drives the agent "${task.begin.performer}"`,
        hint: "pawl doctor",
      },
    };
  }
  const nothing = task.tries > 1 ? undefined : await nothingToDo(shop, work); // what a try that died has done is to be judged
  if (nothing) return { verdict: nothing, spent: { ms: 0 } };
  const readable: string[] = []; // grows until the sandbox is opened
  const needs = { access: work.access, readable, ...(performer.env ? { env: performer.env } : {}) };
  const visit = await openVisit(shop, task, needs);
  let door: Door | undefined;
  try {
    const offer = { performer, access: work.access, run: task.run, step: nameOf(task), visit };
    door = await openTools(shop, offer);
    const tools = door ? { tools: { door, told: toldTools(shop, offer, door) } } : {};
    const end = await perform(shop, task, { work, agent, visit, readable, ...tools }, signal);
    return await answerOf(shop, task, { work, visit }, end);
  } finally {
    await door?.[Symbol.asyncDispose]();
    await visit.close();
  }
}

async function answerOf(
  shop: Workshop,
  task: Task,
  made: Pick<Made, "work" | "visit">,
  end: AgentEnd,
): Promise<Answer> {
  const session = end.session ? { session: end.session } : {};
  switch (end.end) {
    case "cancelled":
      return { cancelled: true };
    case "fault":
      return { fault: end.fault, spent: end.spent, ...session };
    case "no-session":
      return { fault: { code: "agent-session", message: `"${task.begin.performer}" has lost its session` } };
    case "finished":
    case "failed":
    case "limit":
      return { verdict: await judge(shop, task, { ...made, end }), spent: end.spent, ...session };
  }
}

const nameOf = ({ command }: Task): string => (command.do === "work" ? command.node.name : command.do);

interface Made {
  work: AgentWork;
  agent: Agent;
  visit: Visit;
  /** What the sandbox of the visit may read. */
  readable: string[];
  tools?: { door: Door; told: PromptParts["tools"] };
}

/** The turn itself; a session that is gone is replaced by a fresh one with the whole prompt. */
async function perform(shop: Workshop, task: Task, made: Made, signal: AbortSignal): Promise<AgentEnd> {
  const { work, agent, visit, tools } = made;
  const performer = performerOf(shop, task.flow, task.begin.performer);
  if (!performer) throw new Error(`unreachable: no performer "${task.begin.performer}"`);
  const prompt = await laid(shop, task, made);
  const owner = ownerOf(task.command.ticket);
  const isCutOff = task.tries > 1 || task.run.setbacks?.[owner] !== undefined;
  const kept = agent.choosesSession ? undefined : await keptSession(shop, task.run.id, owner);
  const keep = (session: string, total?: Total) =>
    agent.choosesSession
      ? undefined
      : keepSession(shop, task.run.id, owner, { ticket: task.command.ticket, session, ...(total ? { total } : {}) });
  const usual = (resume: boolean): string => (resume && isCutOff ? goOn(visit.artifacts) : prompt);
  const env = tools ? { ...visit.env, PAWL_TOOLS: tools.door.call } : visit.env;
  const inTurn = async (session: string, resume: boolean, asked?: string, total?: Total) => {
    const before = total ?? (kept?.session === session ? kept.total : undefined);
    const end = await agent.perform(
      {
        performer: withoutThese(shop, performer),
        prompt: asked ?? usual(resume),
        access: work.access,
        workspace: shop.frozen.start.workspace,
        artifacts: visit.artifacts,
        visitFolder: visit.folder,
        sessionFolder: `${shop.store.runFolder(task.run.id)}/sessions`,
        env,
        session,
        resume,
        ...(before ? { before } : {}),
        timeoutMs: work.timeoutMs ?? performer.timeoutMs ?? TURN_MS,
        ...(work.turnsMax ? { turnsMax: work.turnsMax } : {}),
        sandbox: visit.start,
        mask: visit.mask,
        onLine: (line) => shop.notifier.said(task.command, visit.mask(line)),
        onSession: (named) => void keep(named)?.catch(() => {}), // without it a try after a crash begins a fresh session
      },
      signal,
    );
    if (end.session) await keep(end.session, end.total);
    return end;
  };
  const cutOff = isCutOff && kept?.ticket === task.command.ticket ? kept.session : undefined;
  const first = await inTurn(task.begin.session ?? cutOff ?? "", task.begin.resumes ?? cutOff !== undefined);
  const session = agent.choosesSession ? shop.clock.uuid() : "";
  const end: AgentEnd =
    first.end === "no-session" ? { ...(session ? { session } : {}), ...(await inTurn(session, false)) } : first;
  const doubt = await doubtOf(shop, work, visit, end);
  if (doubt === undefined || end.session === undefined || signal.aborted) return end;
  return together(end, await inTurn(end.session, true, doubt, end.total));
}

/** The prompt, kept with the visit; what it points to lies beside it, where the sandbox may read. */
async function laid(shop: Workshop, task: Task, { work, visit, readable, tools }: Made): Promise<string> {
  const beside = `${visit.folder}/beside`;
  const place = { artifacts: visit.artifacts, beside, ...(tools ? { tools: tools.told } : {}) };
  const { text, beside: more } = await promptOf(shop, task, work, place);
  for (const each of more) await shop.files.write(each.path, visit.mask(each.text));
  readable.push(...(more.length ? [beside] : []), ...(tools ? [tools.door.folder] : []));
  await shop.files.write(`${visit.folder}/prompt.md`, visit.mask(text));
  return text;
}

/** What an agent is asked that came to its end without a verdict that can be read; undefined: nothing is unclear. */
async function doubtOf(shop: Workshop, work: AgentWork, visit: Visit, end: AgentEnd): Promise<string | undefined> {
  if (!work.verdict || end.end !== "finished") return undefined;
  const { artifact } = work.verdict;
  const read = await shop.files.read(visit.artifacts, artifact);
  const reading = readVerdict("text" in read ? read.text : undefined, work.verdict);
  if (!("unclear" in reading)) return undefined;
  const lines = verdictLines(work.verdict).map((line) => `"${line}"`);
  return `Your report gives no verdict: ${reading.unclear}. Do not look at the task again. Write the report to ${visit.artifacts}/${artifact}, with the verdict you came to on a line of its own: ${lines.join(" or ")}. What you say in a message settles nothing.`;
}

/** The second turn decides, unless the world kept it from its end: then the first one stands as it was. Both cost. */
function together(first: AgentEnd, second: AgentEnd): AgentEnd {
  const spent = sum([first.spent, second.spent]);
  const counts = second.end === "finished" || second.end === "cancelled";
  return { ...(counts ? second : first), spent };
}

type Ended = Extract<AgentEnd, { end: "finished" | "failed" | "limit" }>;
type Judged = Pick<Made, "work" | "visit"> & { end: Ended };

export async function judge(shop: Workshop, task: Task, { work, visit, end }: Judged): Promise<Verdict> {
  const said = work.verdict ? await reviewed(shop, work.verdict, visit, end) : await worked(shop, task, visit, end);
  const { head } = await shop.git.where();
  const evidence = await evidenceOf(shop, task, {
    inputs: { treeBefore: visit.treeBefore, ...(head ? { head } : {}) },
  });
  const verdict = { ...said, evidence, ...(end.output ? { output: visit.mask(end.output) } : {}) };
  const mayTouch = work.access === "write" && work.mode !== "verify";
  const touched = !mayTouch && evidence.tree !== visit.before.digest;
  const judges = mayTouch ? await judgesTouchedBy(shop, visit, evidence.tree) : []; // first: of too many the last are left out
  const findings = [...judges, ...verdict.findings, ...denialsOf(end)];
  if (!touched) return { ...verdict, findings: cutFindings(findings) };
  const paths = shop.git.changed(visit.before, await shop.git.tree()).slice(0, 5);
  const text = `the reviewer may only read, but it changed ${paths.join(", ")}; its verdict does not count${work.mode ? ", the iteration is invalid" : ""}`;
  const { print: _, ...rest } = verdict;
  return {
    ...rest,
    status: "block",
    outcome: work.verdict ? "unclear" : "block",
    findings: [{ text, severity: "error" }],
  };
}

/** A verdict step: the artifact decides, even if the agent was cut off after it had written it. */
async function reviewed(
  shop: Workshop,
  file: NonNullable<AgentWork["verdict"]>,
  visit: Visit,
  end: Ended,
): Promise<Omit<Verdict, "evidence">> {
  const read = await shop.files.read(visit.artifacts, file.artifact);
  const reading = readVerdict("text" in read ? read.text : undefined, file);
  const artifacts = "text" in read ? { artifacts: [visit.named(file.artifact)] } : {};
  if ("unclear" in reading) {
    const why = "refused" in read ? `"${file.artifact}" is not read: ${read.refused}` : reading.unclear;
    const cutOff = end.end === "finished" ? "" : `; the agent did not come to its end: ${end.why}`;
    return {
      status: "block",
      outcome: "unclear",
      findings: [{ text: `no verdict: ${why}${cutOff}`, severity: "error" }],
      ...artifacts,
    };
  }
  const { status, outcome, line, caveat } = reading;
  const text = "text" in read ? read.text : "";
  const conditions: Finding[] = caveat ? [{ text: `passed under a condition: ${caveat}`, severity: "warning" }] : [];
  if (file.reading === "worst") {
    const findings = [...readReview(text, status), ...conditions];
    return { status, outcome, findings, print: printOf(text, shop.sha256), ...artifacts };
  }
  const blocks: Finding[] = status === "block" ? [{ text: line, where: file.artifact, severity: "error" }] : [];
  return { status, outcome, findings: [...blocks, ...conditions], ...artifacts };
}

/** Work without a verdict: it came to its own end, and every declared product is there. */
async function worked(shop: Workshop, { command }: Task, visit: Visit, end: Ended): Promise<Omit<Verdict, "evidence">> {
  if (command.do !== "work") throw new Error("unreachable: only work is judged");
  const reads = await Promise.all(
    command.node.produces.map(async (name) => [name, await shop.files.read(visit.artifacts, name)] as const),
  );
  const artifacts = reads.filter(([, read]) => "text" in read).map(([name]) => visit.named(name));
  const missing = reads.flatMap(([name, read]) => complaintOf(name, read));
  const stopped: Finding[] =
    end.end === "finished"
      ? []
      : [{ text: end.why, severity: "error", ...(end.end === "limit" ? { rule: `limit ${end.limit}` } : {}) }];
  const findings = [...stopped, ...missing];
  return { status: findings.length ? "block" : "pass", findings, ...(artifacts.length ? { artifacts } : {}) };
}

function complaintOf(name: string, read: Read): Finding[] {
  if ("text" in read) return [];
  const text =
    "refused" in read ? `"${name}" is not accepted: ${read.refused}` : `"${name}" was to be written and is not there`;
  return [{ text, where: name, severity: "error" }];
}

const denialsOf = (end: Ended): Finding[] =>
  end.end === "finished"
    ? end.denials.map((tool) => ({
        text: `the client refused the tool "${tool}"`,
        rule: "permission",
        severity: "warning",
      }))
    : [];
