// The rule that put a run where it is, as a sentence or two in the present tense.
import type { Decision, Moment } from "./chronicle.js";
import type { Event, Flow, Run } from "./model.js";
import { nodeAt, visitsOf } from "./place.js";
import { whereText } from "./story.js";
import { settled } from "./view.js";
import { costText, countsText, targetText, usageOf } from "./ways.js";

export function ruleText(flow: Flow, moment: Moment, decision: Decision): string {
  const { event, before, after } = moment;
  switch (decision.because) {
    case "route": {
      const { from, visit, outcome, route } = decision;
      const cost = costText(flow, route);
      const counts = countsText(flow, after, route);
      const paid = cost ? ` The way ${cost}${counts ? `: ${counts}` : ""}.` : "";
      return `${endsAs(flow, from, visit, outcome)} That outcome leads to ${targetText(route.to)}.${paid}`;
    }
    case "budget":
      return divertedText(flow, after, decision);
    case "refused":
      return `The entry check "${decision.hook}" of "${decision.from}" blocks: the run is parked before any work is done there.`;
    case "waits":
      return `The check "${decision.hook}" of "${decision.from}" waits for something outside; a signal makes it look again.`;
    case "event":
      return eventText(flow, event, before, after);
  }
}

function endsAs(flow: Flow, from: string, visit: number, outcome: string): string {
  const person = flow.nodes[from]?.work.kind === "ask" ? "is answered with" : "ends as";
  return `"${from}" ${person} "${outcome}" on visit ${visit}.`;
}

function divertedText(flow: Flow, after: Run, decision: Decision & { because: "budget" }): string {
  const { from, visit, outcome, route, diversion } = decision;
  const { setBy = diversion.budget } = flow.budgets[diversion.budget] ?? {};
  const { limit } = usageOf(flow, after, diversion.budget);
  const intro = outcome === "resumed" ? "The run is resumed." : `${endsAs(flow, from, visit, outcome)}`;
  const way = route ? `The way to ${targetText(route.to)}` : "The way back";
  if (diversion.because === "exhausted")
    return `${intro} ${way} costs ${setBy}, and all ${limit} are used up: the run goes to ${whereText(after)} instead.`;
  const hash = diversion.print ? ` (hash ${diversion.print})` : "";
  return `${intro} Visit ${visit} says what visit ${diversion.earlier} said, or is about the same tree${hash}: the loop goes in circles. ${way} is not taken, the run goes to ${whereText(after)} instead.`;
}

function eventText(flow: Flow, event: Event, before: Run | undefined, after: Run): string {
  const where = whereText(after);
  switch (event.type) {
    case "started":
      return `The run starts at "${flow.start}", the loop's first step.`;
    case "fault": {
      const { code, message, hint } = event.error;
      return `The world cannot do what is asked (${code}): ${message}.${hint ? ` ${hint}.` : ""} No attempt is spent; a resume asks again.`;
    }
    case "begun": {
      const cursor = settled(after.cursor);
      return `${cursor.at === "parked" ? cursor.reason : where}. One more start would be too many: ${flow.triesMax} are allowed.`;
    }
    case "stopped":
      return `${event.by} stops the run (${event.code}): ${event.reason}.`;
    case "resumed":
      return `${event.by} resumes the run; it goes on at ${at(after)}.`;
    case "abandoned":
      return `${event.by} abandons the run: ${event.reason}.`;
    case "extended": {
      const { setBy = event.budget, first = 0 } = flow.budgets[event.budget] ?? {};
      return `${event.by} raises ${setBy} from ${event.was + first} to ${event.limit + first}; the run goes on at ${at(after)}.`;
    }
    case "signal":
      return `The signal "${event.name}" wakes the run; ${at(after)} looks again.`;
    case "verdict":
    case "yielded":
    case "checkpointed":
    case "chained":
    case "limited":
    case "foreign":
    case "renamed":
    case "remark":
      return `The run moves from ${before ? whereText(before) : "its start"} to ${where}.`;
  }
}

function at(run: Run): string {
  const node = nodeAt(run.cursor);
  return node === undefined ? whereText(run) : `"${node}", visit ${visitsOf(run, node)}`;
}
