// What Codex is known by.
import type { Known } from "../program.js";

export const CODEX: Known = { use: "codex", title: "Codex", program: "codex", install: "npm install -g @openai/codex" };
