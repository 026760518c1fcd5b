// What Claude Code is known by.
import type { Known } from "../program.js";

export const CLAUDE_CODE: Known = {
  use: "claude-code",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
};
