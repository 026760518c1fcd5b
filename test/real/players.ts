// What the scripted model plays in a pipeline: a developer who reads, edits and reports with the client's own tools, and judges.
import { join } from "node:path";
import type { Scenario, Step } from "../clients/fake-models/server.mjs";

export interface Edit {
  file: string;
  from: string;
  to: string;
}
interface Part {
  kind: string;
  name?: string;
  text?: string;
}
interface Conversation {
  messages: { role: string; parts: Part[] }[];
}
type Heard = { prompt: string; conversation: unknown };

/**
 * The n-th visit makes the n-th edit: read, edit, write the summary, say so. What is done already stands in the conversation,
 * so a session that is resumed goes on where it was cut off. `first` is a command line run once, before anything else.
 */
export function developer(workspace: string, edits: Edit[], first?: { visit: number; line: string }): Scenario {
  const visits: string[] = [];
  let isFirstDone = false;
  const next = ({ prompt, conversation }: Heard): Step => {
    if (!visits.includes(prompt)) visits.push(prompt);
    const visit = visits.indexOf(prompt);
    const edit = edits[Math.min(visit, edits.length - 1)];
    const summary = placeOf("implementation-summary.md", conversation as Conversation); // as conversation.mjs describes it
    if (!edit || !summary) return { text: "I was not told what to do." };
    if (first?.visit === visit && !isFirstDone) {
      isFirstDone = true;
      return call("Bash", { command: first.line, description: "look around" });
    }
    const file_path = join(workspace, edit.file);
    const deeds: [string, unknown][] = [
      ["Read", { file_path }],
      ["Edit", { file_path, old_string: edit.from, new_string: edit.to }],
      ["Write", { file_path: summary, content: `# Summary\n\nChanged \`${edit.from}\` to \`${edit.to}\`.\n` }],
    ];
    const done = callsIn(conversation as Conversation); // the same
    const [tool, input] = deeds.find(([name]) => !done.has(name)) ?? [];
    return tool ? call(tool, input) : { text: "Done." };
  };
  return { name: "dev", match: "(?:^|\\n)Step: dev(?=\\s|$)", steps: [next] };
}

const call = (tool: string, input: unknown): Step => ({ text: `${tool}.`, calls: [{ tool: `^${tool}$`, input }] });

const callsIn = ({ messages }: Conversation): Set<string> =>
  new Set(messages.flatMap(({ parts }) => parts.flatMap(({ kind, name }) => (kind === "call" && name ? [name] : []))));

/** Where a file is to be written, by the newest word: a session that was cut off is told of another folder. */
function placeOf(name: string, { messages }: Conversation): string | undefined {
  const told = messages
    .flatMap(({ role, parts }) => (role === "user" ? parts.map(({ text = "" }) => text) : []))
    .join("\n");
  const moved = [...told.matchAll(/now belongs into (.+?) \(PAWL_ARTIFACTS\)/g)].at(-1)?.[1];
  return moved ? join(moved, name) : new RegExp(`^Write ${name} to: (.+)$`, "m").exec(told)?.[1];
}
