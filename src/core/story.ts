// A run as a story: one line an event, for `pawl log`. What happened, what it cost, and where it led.
import { type Decision, decisionOf, type Moment, momentsOf } from "./chronicle.js";
import type { Cursor, Event, Flow, Run, Verdict } from "./model.js";
import { nodeAt, ownerOf, visitsOf } from "./place.js";
import { settled } from "./view.js";
import { countText, usageOf } from "./ways.js";

export interface StoryLine {
  seq: number;
  /** ISO 8601, as the event has it. */
  at: string;
  text: string;
}

/** Characters of a finding or a comment in one line. */
export const STORY_TEXT_CHARS_MAX = 160;

/** The lines after event `after`; events that say nothing to people (a check that begins) have none. */
export function storyOf(flow: Flow, events: readonly Event[], after = 0): StoryLine[] {
  const lines: StoryLine[] = [];
  for (const moment of momentsOf(flow, events)) {
    const { seq, at } = moment.event;
    const text = seq > after ? lineOf(flow, moment) : undefined;
    if (text) lines.push({ seq, at, text });
  }
  return lines;
}

/** The line of one moment; undefined when it says nothing to people. */
export function lineOf(flow: Flow, moment: Moment): string | undefined {
  const said = happened(flow, moment);
  if (said === undefined) return undefined;
  const decision = decisionOf(flow, moment);
  return decision ? `${said} → ${ledTo(flow, moment, decision)}` : said;
}

function happened(flow: Flow, { event, before, after }: Moment): string | undefined {
  switch (event.type) {
    case "started":
      return `run ${event.run} starts (job ${event.job}, by ${event.by})`;
    case "begun":
      return begins(flow, event, before ?? after, after);
    case "verdict":
      return judged(flow, event, before ?? after, after);
    case "fault":
      return `${subject(flow, before ?? after, event.ticket)}: cannot be carried out (${event.error.code}): ${brief(event.error.message)}`;
    case "yielded":
      return `${subject(flow, before ?? after, event.ticket)}: goes on in another run, which rests`;
    case "checkpointed":
      return checkpointed(event, before?.cursor);
    case "chained":
      return event.run ? `next loop starts as run ${event.run}` : `next loop is not started: ${brief(event.why ?? "")}`;
    case "signal":
      return `signal "${brief(event.name)}": look again`;
    case "stopped":
      return `stopped (${event.code}) by ${event.by}: ${brief(event.reason)}`;
    case "resumed":
      return `resumed by ${event.by}`;
    case "abandoned":
      return `abandoned by ${event.by}: ${brief(event.reason)}`;
    case "extended": {
      const { setBy = event.budget, first = 0 } = flow.budgets[event.budget] ?? {};
      return `${setBy} raised from ${event.was + first} to ${event.limit + first} by ${event.by}`;
    }
    case "limited":
      return limitedText(event);
    case "foreign":
      return `${foreignText(event.paths)}, ${event.accepted ? "accepted" : "not accepted"} by ${event.by}`;
    case "renamed":
      return renamedText(event.job, before);
    case "remark":
      return `note (${event.about}): ${brief(event.text)}`;
  }
}

const limitedText = ({ limit, to, was, by }: Event & { type: "limited" }): string =>
  `the limit ${brief(limit)} is ${to} now${was === undefined ? "" : `, before ${was}`}, set by ${by}`;

function checkpointed({ commit, trouble }: Event & { type: "checkpointed" }, at?: Cursor): string | undefined {
  const sha = commit?.slice(0, 7);
  if (at?.at === "checkpoint" && at.saves) {
    const { what, node } = at.saves;
    if (trouble) return `the ${what} of "${node}" is not committed: ${brief(trouble)}`;
    return sha && `the ${what} of "${node}" is committed (${sha})`; // with nothing to commit there is nothing to say
  }
  return trouble
    ? `the record cannot be published: ${brief(trouble)}`
    : `record published${sha ? `, commit ${sha}` : ""}`;
}

const renamedText = (job: string, before: Run | undefined): string =>
  `the job is called ${brief(job)} from here on${before ? `, before ${brief(before.job)}` : ""}`;

/** Paths of one line; the rest is counted. */
const FOREIGN_PATHS_SHOWN = 5;
function foreignText(paths: string[]): string {
  const more = paths.length > FOREIGN_PATHS_SHOWN ? ` and ${paths.length - FOREIGN_PATHS_SHOWN} more` : "";
  return `changes that are not the run's: ${brief(paths.slice(0, FOREIGN_PATHS_SHOWN).join(", "))}${more}`;
}

/** Only work is told: that a check begins says nothing, unless it keeps dying. */
function begins(flow: Flow, event: Event & { type: "begun" }, before: Run, after: Run): string | undefined {
  const tries = after.tries[event.ticket] ?? 0;
  const cursor = settled(after.cursor);
  if (cursor.at === "parked") return `${subject(flow, before, event.ticket)}: ${cursor.reason}`;
  if (tries > 1) return `${subject(flow, before, event.ticket)}: begins again (start ${tries} of ${flow.triesMax})`;
  return before.cursor.at === "work"
    ? `${subject(flow, before, event.ticket)}: begins (${event.performer})`
    : undefined;
}

function judged(flow: Flow, event: Event & { type: "verdict" }, before: Run, after: Run): string {
  const { verdict, answer, spent } = event;
  const who = subject(flow, before, event.ticket);
  if (answer) {
    const comment = answer.comment ? `: ${brief(answer.comment)}` : "";
    return `${who}: "${verdict.outcome ?? verdict.status}" by ${answer.who} (${answer.channel})${comment}`;
  }
  const others = before.since === after.since ? othersOf(flow, before, after) : "";
  const why = verdict.findings[0]?.text;
  const more = verdict.findings.length > 1 ? ` and ${verdict.findings.length - 1} more` : "";
  const cost = spent?.usd === undefined ? "" : `, ${spent.usd.toFixed(2)} USD`;
  const took = spent && spent.ms > 0 ? ` in ${secondsText(spent.ms)}` : "";
  return `${who}: ${verbOf(verdict)}${why ? ` (${brief(why)}${more})` : ""}${took}${cost}${others}`;
}

/** Of a fan that this answer does not end. */
function othersOf(flow: Flow, before: Run, { cursor }: Run): string {
  if (before.cursor.at !== "work" || cursor.at !== "work") return "";
  const work = flow.nodes[cursor.node]?.work;
  return work?.kind === "fan" && work.inTurn ? ", others to come" : ", others still at work";
}

/** What a ticket names, for people: `test visit 2`, `test visit 2, exit check "lint"`. */
function subject(flow: Flow, run: Run, ticket: string): string {
  const { cursor } = run;
  const node = nodeAt(cursor);
  if (cursor.at === "checkpoint") return cursor.saves ? `committing the ${cursor.saves.what}` : "publishing the record";
  if (cursor.at === "chain") return `starting the loop "${cursor.loop}"`;
  if (node === undefined) return ownerOf(ticket);
  const visit = `visit ${visitsOf(run, node)}`;
  if (cursor.at === "work") return `${ownerOf(ticket)} ${visit}`;
  if (cursor.at !== "enter" && cursor.at !== "exit") return `${node} ${visit}`;
  const hook = flow.nodes[node]?.[cursor.at][cursor.index]?.hook ?? "";
  return `${node} ${visit}, ${cursor.at === "enter" ? "entry" : "exit"} check "${hook}"`;
}

export function verbOf({ status, outcome }: Pick<Verdict, "status" | "outcome">): string {
  const named = outcome !== undefined && outcome !== status ? outcome : undefined;
  if (named) return named === "unclear" ? "unclear" : `"${named}"`;
  return { pass: "passed", block: "failed", wait: "waits", skip: "did not look" }[status];
}

function ledTo(flow: Flow, { before, after }: Moment, decision: Decision): string {
  const where = whereText(after);
  switch (decision.because) {
    case "route": {
      const counts = (decision.route.spend ?? []).map((name) => grown(flow, before, after, name)).join(", ");
      const retry = decision.route.mark === "retry" ? "retry " : "";
      return `${retry}${where}${counts ? ` (${counts})` : ""}`;
    }
    case "budget": {
      const { because, budget, earlier, print } = decision.diversion;
      const { setBy = budget } = flow.budgets[budget] ?? {};
      if (because === "repeat") return `${where} (as visit ${earlier} before${print ? `, hash ${print}` : ""})`;
      const { limit } = usageOf(flow, after, budget);
      return `${where} (${setBy} is used up: ${limit} of ${limit})`;
    }
    case "refused":
    case "waits":
    case "event":
      return where;
  }
}

/** A round is counted aloud, before and after: it is a person's to give. */
function grown(flow: Flow, before: Run | undefined, after: Run, budget: string): string {
  const text = countText(flow, after, budget);
  return before && text.startsWith("round ") ? `${text}, before ${usageOf(flow, before, budget).spent}` : text;
}

/** Where a run is, in a word or two. */
export function whereText(run: Run): string {
  const cursor = settled(run.cursor);
  switch (cursor.at) {
    case "enter":
    case "work":
    case "exit":
      return cursor.node;
    case "waiting":
      return `${cursor.node} waits: ${brief(cursor.findings[0]?.text ?? "for a signal")}`;
    case "parked":
      return `parked (${cursor.code}): ${brief(cursor.reason)}`;
    case "ended":
      return cursor.exhausted ? `${cursor.ending} (exhausted)` : cursor.ending;
  }
}

/** `3.2 s`, `4 min 5 s`, `2 h 10 min`. */
export function secondsText(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** One line, cut. */
function brief(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > STORY_TEXT_CHARS_MAX ? `${line.slice(0, STORY_TEXT_CHARS_MAX - 1)}…` : line;
}
