// What a reviewer may do: look, and write in the folder of its visit. A hook of the client says so before every other tool, because
// the client's own rules refuse every file below `.git`, where that folder lies, in each mode that minds its rules.

/** Run by node -e, with the folder as its argument. It prints a refusal; whatever else goes wrong refuses as well. */
const LOOK = `
const { lstatSync, realpathSync } = require("node:fs");
const { dirname, join, resolve, sep } = require("node:path");
const there = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const real = (path) => (there(path) ? realpathSync(path) : join(real(dirname(path)), path.slice(dirname(path).length)));
let said = "";
process.stdin.on("data", (part) => { said += part; }).on("end", () => {
  const folder = process.argv[1];
  const { tool_name: tool, tool_input: input } = JSON.parse(said);
  if (tool === "Write" && real(resolve(input.file_path)).startsWith(realpathSync(folder) + sep)) return;
  const permissionDecisionReason = "this task only reads; it writes with Write, in " + folder;
  console.log(JSON.stringify({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
  }));
});`;

/** Settings that keep a reader to reading; given on the command line, they stand above those of files. */
export function readerSettings(artifacts: string, node = process.execPath): string {
  const command = `${quoted(node)} -e ${quoted(LOOK)} ${quoted(artifacts)} || exit 2`; // 2 refuses, any other failure would not
  const matcher = "^(?!(?:Read|Grep|Glob)$)";
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command }] }] } });
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
