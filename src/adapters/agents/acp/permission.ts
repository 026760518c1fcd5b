// What an ACP agent may do is data: each question is answered at once. Who writes may, once each; who reads may look, and write in the
// folder of its visit alone.
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import type { Turn } from "../../../ports/agent.js";
import { oneLine } from "../text.js";
import { type Heard, Permission, type ToolCall } from "./heard.js";

const LOOKING = new Set(["read", "search", "think"]);

export function answerTo(params: unknown, turn: Turn, heard: Heard): object {
  const { toolCall = {}, options = [] } = Permission.safeParse(params).data ?? {};
  const may = turn.access === "write" || LOOKING.has(toolCall.kind ?? "") || isReport(toolCall, turn);
  const wanted = may ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = wanted.flatMap((kind) => options.find((each) => each.kind === kind) ?? [])[0];
  if (!may) {
    const about = oneLine(toolCall.title ?? toolCall.kind ?? "tool");
    heard.denials.push(about);
    turn.onLine(`[refused: ${about}; this task only reads]`);
  }
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
}

/** A change of files, all of which lie in the folder of the visit. */
function isReport({ kind, locations = [], content = [] }: ToolCall, { artifacts }: Turn): boolean {
  const paths = [...locations.map(({ path }) => path), ...content.flatMap(({ path }) => path ?? [])];
  return kind === "edit" && paths.length > 0 && paths.every((path) => isAbsolute(path) && isBelow(artifacts, path));
}

function isBelow(folder: string, path: string): boolean {
  const real = (place: string): string =>
    existsSync(place) || place === dirname(place)
      ? realpathSync(place)
      : `${real(dirname(place))}${place.slice(dirname(place).length)}`;
  try {
    return real(resolve(path)).startsWith(`${realpathSync(folder)}${sep}`);
  } catch {
    return false; // a loop of links, or gone meanwhile
  }
}
