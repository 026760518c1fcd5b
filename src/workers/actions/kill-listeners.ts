// action: kill_listeners. Ends what listens on one port, so that a server that an earlier step or a crash left is not in the way.
import type { Action, ActionEnd, ActionTask } from "../../ports/action.js";
import { FaultError } from "../../ports/errors.js";
import type { Listener, Listeners } from "../../ports/listeners.js";
import { oneLine } from "../findings.js";
import { keysOf, strangersTo } from "./params.js";

const NAME = "kill_listeners";
const PORT_MAX = 65_535;

export const checkKillListeners: Action["check"] = (params) => {
  const { port, match } = keysOf(params);
  const isPort = typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= PORT_MAX;
  const what =
    port === undefined ? `${NAME} needs the parameter "port"` : `"port" must be a number from 1 to ${PORT_MAX}`;
  return [
    ...strangersTo(NAME, params, ["port", "match"]),
    ...(isPort ? [] : [{ path: port === undefined ? [] : ["port"], message: what, hint: "params: {port: 3000}" }]),
    ...(match === undefined || (typeof match === "string" && match.trim() !== "")
      ? []
      : [{ path: ["match"], message: '"match" must be a text that the command line of the listener contains' }]),
  ];
};

export const killListeners = (listeners: Listeners): Action => ({
  name: NAME,
  outcomes: [],
  check: checkKillListeners,
  run: (task) => sweep(listeners, task),
});

async function sweep(listeners: Listeners, { params, signal }: ActionTask): Promise<ActionEnd> {
  const { port, match } = keysOf(params) as { port: number; match?: string }; // checked at load
  const found = await listeners.on(port);
  const meant = found.filter(({ commandLine }) => match === undefined || commandLine.includes(match));
  const left: Listener[] = [];
  for (const one of meant) if (!(await listeners.end(one, signal))) left.push(one);
  if (left.length) {
    throw new FaultError({
      code: "listener-left",
      message: `Port ${port} is still listened on by ${left.map(shown).join(", ")}, which could not be ended`,
      hint: "end it by hand, then resume the run",
    });
  }
  const ended = meant.length ? `ended ${meant.map(shown).join(", ")}` : `nothing to end on port ${port}`;
  const spared = found.filter((one) => !meant.includes(one));
  const note = spared.length
    ? `; left alone, for "${match}" is not in its command line: ${spared.map(shown).join(", ")}`
    : "";
  return { output: `${ended}${note}` };
}

const SHOWN_CHARS_MAX = 120;
const shown = ({ pid, commandLine }: Listener): string =>
  `${pid} (${oneLine(commandLine).slice(0, SHOWN_CHARS_MAX) || "unknown program"})`;
