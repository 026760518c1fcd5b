// npm run docs: writes docs/commands.md (from --help) and docs/codes.md (from the sources). --check: are they in step?
// The program must be built.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { codesText } from "./docs/codes.mjs";

const help = (...words) =>
  execFileSync(process.execPath, ["dist/pawl.js", ...words, "--help"], { encoding: "utf8" }).trim();
const block = (text) => `\`\`\`text\n${text}\n\`\`\`\n`;

function commandsText() {
  const whole = help();
  const names = [...whole.slice(whole.indexOf("Commands:")).matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
  if (names.length < 15) throw new Error(`only ${names.length} commands were found in --help`);
  const parts = names.map((name) => `## pawl ${name}\n\n${block(help(name))}`);
  return `# Commands\n\nWritten by \`npm run docs\` from \`--help\`.\n\n${block(whole)}\n${parts.join("\n")}\n${EXITS}`;
}
const EXITS = `## Exit codes

| code | means |
|---|---|
| 0 | success, also with warnings (\`--strict\` makes those 1) |
| 1 | failure, exhausted, killed, aborted |
| 2 | usage, or an invalid file |
| 3 | somebody must act: a gate, paused, parked |
| 4 | fault: the world could not do it; ask again |
| 5 | succeeded but not committed |
| 70 | a bug in Pawl |
| 124 | time-out |
| 130 | interrupted |
`;

for (const [file, text] of [
  ["docs/commands.md", commandsText()],
  ["docs/codes.md", codesText()],
]) {
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    console.error(`${file} is not in step with the program: npm run docs`);
    process.exitCode = 1;
  }
}
