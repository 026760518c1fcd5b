// `pawl hook end-of-turn`: what a client runs when its agent wants to end a turn. It answers before it reads anything when no run
// is active, and whatever goes wrong here lets the agent go: a person must never be trapped by us.
import { join } from "node:path";
import { findPlace, readHead } from "./adapters/git/place.js";
import { isAnothers } from "./adapters/store/session.js";
import { keepReminders, openTurns, quickSpec, remindersIn } from "./adapters/store/turn.js";
import { jobOf } from "./core/job.js";
import { holdsTurn, remind } from "./core/turn.js";

/** How long a client may take to say what it has to say. */
const INPUT_MS = 500;

/** The reason to go on, or undefined. Counts it before it is said. */
export function reasonToStay(cwd: string, env: Record<string, string | undefined>): string | undefined {
  if (env.PAWL_RUN) return undefined; // an agent that Pawl started itself: its end is the end of its step
  const place = findPlace(env.CLAUDE_PROJECT_DIR || env.GEMINI_PROJECT_DIR || cwd);
  const { workspace, gitDir, commonDir } = place;
  const branch = gitDir && commonDir ? readHead({ gitDir, commonDir }).branch : undefined;
  const job = jobOf({ spec: quickSpec(workspace), branch });
  const home = commonDir ? join(commonDir, "pawl") : join(workspace, ".pawl", "local");
  for (const { record, flow, folder } of openTurns({ workspace, home, job: "job" in job ? job.job : undefined })) {
    if (!holdsTurn(record, flow) || isAnothers(folder)) continue;
    const reminder = remind(record, remindersIn(folder));
    if (!reminder) continue;
    keepReminders(folder, reminder.reminders);
    return reminder.reason;
  }
  return undefined;
}

/** One form is understood by all clients that have such a hook. */
export async function endOfTurn(): Promise<number> {
  try {
    const reason = reasonToStay(process.cwd(), process.env);
    if (reason === undefined) return 0;
    await drain(); // some clients fail when nobody reads what they say
    process.stdout.write(`${JSON.stringify({ decision: "block", reason })}\n`);
  } catch (error) {
    process.stderr.write(`pawl hook: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  return 0;
}

function drain(): Promise<void> {
  return new Promise((done) => {
    const over = (): void => {
      clearTimeout(timer);
      process.stdin.destroy();
      done();
    };
    const timer = setTimeout(over, INPUT_MS);
    process.stdin.on("end", over).on("error", over).resume();
  });
}
