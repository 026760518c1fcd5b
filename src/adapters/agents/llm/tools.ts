// The built-in agent's tools. Each is one program inside the sandbox; nothing here touches a file, so a path that leads outside (by
// "..", by a planted link) is the sandbox's business and not a check of ours. Who reads has the same tools: there nothing can be written.
import { tool } from "ai";
import { z } from "zod";
import type { Inside } from "./inside.js";

/** What a model is shown of one answer. */
export const TOOL_BYTES_MAX = 32 << 10;
/** A larger file would come back cut, and be written back cut. */
const EDIT_BYTES_MAX = 1 << 20;
/** The text goes by standard input: one argument holds 128 KiB at most. */
const WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';
const path = z.string().describe("absolute, or relative to the workspace");

export function toolsIn(inside: Inside) {
  const said = async (argv: string[], signal: AbortSignal | undefined, stdin = ""): Promise<string> => {
    const { how, stdout, stderr } = await inside(argv, { signal, stdin, bytesMax: TOOL_BYTES_MAX });
    const output = `${stdout.toString("utf8")}${stderr}`;
    const shown = output.length > TOOL_BYTES_MAX ? `${output.slice(0, TOOL_BYTES_MAX)}\n[cut]` : output;
    return how === "" ? shown || "done" : `${how}\n${shown}`;
  };
  const written = (file: string, text: string, signal: AbortSignal | undefined) =>
    said(["sh", "-c", WRITE, "sh", file], signal, text);
  return {
    read: tool({
      description: "Reads a text file.",
      inputSchema: z.object({ path }),
      execute: (input, { abortSignal }) => said(["head", "-c", `${TOOL_BYTES_MAX}`, "--", input.path], abortSignal),
    }),
    list: tool({
      description: "Lists a folder.",
      inputSchema: z.object({ path }),
      execute: (input, { abortSignal }) => said(["ls", "-lA", "--", input.path], abortSignal),
    }),
    search: tool({
      description: "Searches files for an extended regular expression; answers with path:line:text.",
      inputSchema: z.object({ pattern: z.string(), path }),
      execute: (input, { abortSignal }) =>
        said(["grep", "-rnEI", "--exclude-dir=.git", "-e", input.pattern, "--", input.path], abortSignal),
    }),
    write: tool({
      description: "Writes a whole text file; makes its folder.",
      inputSchema: z.object({ path, content: z.string() }),
      execute: (input, { abortSignal }) => written(input.path, input.content, abortSignal),
    }),
    edit: tool({
      description: "Replaces a passage that occurs exactly once in a text file.",
      inputSchema: z.object({ path, before: z.string().min(1), after: z.string() }),
      execute: async ({ path: file, before, after }, { abortSignal: signal }) => {
        const { how, stdout, stderr } = await inside(["head", "-c", `${EDIT_BYTES_MAX + 1}`, "--", file], {
          signal,
          bytesMax: EDIT_BYTES_MAX + 1,
        });
        if (how !== "") return `failed: ${stderr}`;
        const text = stdout.toString("utf8");
        if (stdout.length > EDIT_BYTES_MAX || text.includes("\uFFFD"))
          return "failed: only UTF-8 text of at most 1 MiB can be edited";
        const [head = "", ...tails] = text.split(before);
        if (tails.length !== 1) return `failed: the passage occurs ${tails.length} times`;
        return written(file, head + after + tails[0], signal);
      },
    }),
    run: tool({
      description: "Runs a command line in bash, in the workspace. There is no network.",
      inputSchema: z.object({ command: z.string() }),
      execute: ({ command }, { abortSignal }) => said(["bash", "-c", command], abortSignal),
    }),
  };
}
