// Listens to a shell line in a sandbox until everything of it is dead; a cancelled step ends it.
import type { Heard } from "../ports/listen.js";
import type { Child } from "../ports/sandbox.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import type { Visit } from "./visit.js";

export async function hearLine(
  shop: Workshop,
  task: Task,
  visit: Visit,
  child: Child,
  log: string,
  signal: AbortSignal,
): Promise<Heard> {
  const stop = () => child.stop("cancelled");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const onLine = (line: string) => shop.notifier.said(task.command, visit.mask(line));
  const heard = await shop.listen(child, { stdin: "", log, onLine, mask: visit.mask });
  signal.removeEventListener("abort", stop);
  return heard;
}
