// What an agent is told: whose turn it is, what to do, and what to call next. Clients show the text or the JSON, so both carry it.
import type { Run } from "../../core/model.js";
import { settled } from "../../core/place.js";
import { REPORT_CHARS_MAX, reportOf } from "../../core/report.js";
import type { View } from "../../core/view.js";
import type { Standing } from "../../runtime/hosted.js";

/** Clients that can start subagents and tell when they end, by the name they give themselves. */
const WITH_SUBAGENTS = ["claude-code", "opencode"];

/** The whole answer in words, for a client of this name. */
export function instructionOf(standing: Standing, view: View, client: string | undefined): string {
  const warnings = standing.warnings.map((text) => `warning: ${text}`);
  const parts = [...warnings, followedText(standing), castText(standing, client), turnText(standing, view)];
  return parts.filter((text) => text !== "").join("\n\n");
}

/** Doer and reviewer see with eyes of their own where the client has others to send; else one session plays both, a step at a time. */
function castText({ turn }: Standing, client: string | undefined): string {
  if (turn.of !== "host" || turn.command.work.kind !== "agent" || turn.command.work.mode === undefined) return "";
  const role = turn.command.work.mode === "verify" ? "reviewer" : "doer";
  if (client !== undefined && WITH_SUBAGENTS.includes(client))
    return `Start a new subagent as the ${role}: give it the whole task below, nothing of this conversation, and wait until it has ended. Do none of the task yourself; report what it did. The calls to Pawl are yours.`;
  return `Be the ${role} yourself in this session, and start no other agent. Go by the task below and by the files alone, not by what you remember of earlier steps.`;
}

/** Without it an agent that waited for one loop's checks is handed another loop's skill, and does not know why. */
const followedText = ({ flow, followed }: Standing): string =>
  followed
    ? `Run ${followed.run} (loop "${followed.loop}") has ended: ${followed.outcome}. Loop "${flow.name}" follows.`
    : "";

function turnText({ id, flow, run, turn }: Standing, view: View): string {
  const report = reportOf(flow, run);
  switch (turn.of) {
    case "host": {
      const { node, work: _, ticket } = turn.command;
      const at = flow.steps.indexOf(node.name);
      const position = at < 0 ? "" : ` (${at + 1} of ${flow.steps.length})`;
      const head = `Skill "${node.name}"${position} of loop "${flow.name}", job "${run.job}", run ${id}.`;
      const close = `Do only this skill. When it is done, call loop_advance with skill "${node.name}", ticket "${ticket}", and as output a short report of what you did and what is left. Then do what its answer says; do not go on by yourself.`;
      return [
        head,
        turn.text ?? "Call loop_continue: it makes the folder this step writes into, and answers with the whole text.",
        close,
      ].join("\n\n");
    }
    case "person": {
      const options = turn.question.options.join(" | ");
      const chat =
        flow.gateChannel === "chat"
          ? `When they have answered, call loop_continue with option: ${options}. Or they type: ${view.next}`
          : `This loop takes their own word only (gate_channel: person). They type: ${view.next}`;
      return `PAUSED. Run ${id} waits for a person: ${turn.question.shown.split("\ntree ")[0]}\n\nStop here and ask the person; do nothing until they have answered. ${chat}`;
    }
    case "pawl":
      return `Run ${id} is ${view.status}: process ${turn.holder.pid} is at work on it since ${turn.holder.since}. Call loop_status: it waits up to 25 seconds and tells the outcome. Change no files meanwhile.`;
    case "nobody":
      if (view.state === "parked" || view.state === "ended") return restText(run, view, report); // only its checkpoint is left
      return view.status === "validating"
        ? `The checks of run ${id} were interrupted: nobody is at work on them. Call loop_continue: it runs them again, and no skill is asked for anew.`
        : `Run ${id} was interrupted: nobody is at work on it. Call loop_continue: it goes on where it was, and no skill is asked for anew.`;
    case "rest":
      return restText(run, view, report);
  }
}

function restText(run: Run, view: View, report: string): string {
  const at = settled(run.cursor);
  const isTold = at.at === "parked" && at.code === "validation-failed" && report !== ""; // by the report, check for check
  const why = report === "" ? "" : `\n\n${report.slice(0, REPORT_CHARS_MAX)}`;
  if (view.state === "ended") {
    const word = view.outcome === "success" || view.outcome === "warning" ? "is complete" : "has ended";
    return `Run ${view.run} (loop "${view.loop}", job "${view.job}") ${word}: ${view.outcome ?? view.status}. ${view.reason}.${why}\n\nNothing is left to do in this run.${view.next ? ` For the person: ${view.next}` : ""}`;
  }
  return `PAUSED. Run ${view.run}: ${isTold ? at.reason : view.reason}.${why}\n\nTell the person. When the cause is mended, call loop_continue: what was recorded stays recorded, and what failed is checked again.`;
}
