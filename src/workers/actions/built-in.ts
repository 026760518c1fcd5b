// The actions Pawl ships: what config must know of them. Their work is put together in workshop.ts.
import type { Action } from "../../ports/action.js";
import { checkCommandCheck } from "./command-check.js";
import { checkCommit } from "./commit.js";
import { checkKillListeners } from "./kill-listeners.js";

export const BUILT_IN: Record<string, Pick<Action, "outcomes" | "check">> = {
  commit: { outcomes: ["not-committed"], check: checkCommit },
  "command-check": { outcomes: [], check: checkCommandCheck },
  kill_listeners: { outcomes: [], check: checkKillListeners },
};
