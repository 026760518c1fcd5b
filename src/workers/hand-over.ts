// The commands that are not work of a step: another loop as a step, the checkpoint, the loop that follows.
import type { Run, Saved } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { Answer, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";

export const flowWorker = (shop: Workshop): Worker => ({
  name: "loop",
  here: () => true,
  begin: () => ({ performer: "loop" }),
  carryOut: (task, signal) => {
    if (task.command.do !== "work" || task.command.work.kind !== "flow") throw new Error("unreachable: not a loop");
    return shop.within(task.command.work.flow, task, signal);
  },
});

/** At rest and at the end the journal is published beside the record. What fails is a remark, never the run's trouble. */
export const checkpointWorker = (shop: Workshop): Worker => ({
  name: "checkpoint",
  here: () => true,
  begin: () => ({ performer: "checkpoint" }),
  carryOut: async ({ command, run }, signal) => {
    if (command.do === "checkpoint" && command.saves) return save(shop, run, command.saves, signal);
    const ends = command.do === "checkpoint" && command.ending !== undefined;
    const troubles = [ends ? await shop.noteEnd(run) : undefined, await shop.publish(run.job)];
    const trouble = troubles.filter((text) => text !== undefined).join("; ");
    return { checkpointed: trouble ? { trouble } : {} };
  },
});

async function save(shop: Workshop, run: Run, saves: Saved, signal: AbortSignal): Promise<Answer> {
  try {
    const checkpointed = await shop.save(run, saves, signal);
    return signal.aborted ? { cancelled: true } : { checkpointed };
  } catch (error) {
    if (signal.aborted) return { cancelled: true };
    if (error instanceof FaultError) return { fault: error.record };
    throw error;
  }
}

export const chainWorker = (shop: Workshop): Worker => ({
  name: "chain",
  here: () => true,
  begin: () => ({ performer: "chain" }),
  carryOut: (task) => {
    if (task.command.do !== "chain") throw new Error("unreachable: not a chain");
    return shop.follow(task.command.loop, task);
  },
});
