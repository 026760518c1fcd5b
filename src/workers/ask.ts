// A gate: nobody here may answer it. The question is handed out; a surface puts it to a person and brings the answer back.
import type { Worker } from "../ports/worker.js";

export const askWorker = (): Worker => ({
  name: "ask",
  here: () => false,
  begin: () => ({ performer: "person" }),
  carryOut: async () => {
    throw new Error("unreachable: a gate is never carried out");
  },
});
