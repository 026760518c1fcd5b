// Which steps are the host's: the agent of an IDE, which Pawl hands a text and which hands an output in.
import type { Command, Flow } from "./model.js";

/** The word after `use:`, and what the journal calls it. */
export const HOST = "host";

/** Every skill of a loop of skills is, when an IDE drives it, whoever did the ones before; elsewhere what the author gave to it. */
export const isHosts = (command: Command, flow: Flow): boolean =>
  command.do === "work" &&
  command.work.kind === "agent" &&
  (flow.performers[command.work.performer]?.use === HOST || command.node.done !== undefined);
