// npm run requirements [-- LETTER]: which rows of test/requirements.json no test proves, and how many of each package are.
// With a letter only that package's, and 1 when a row is left. A test proves a row by `verifies("id")` in its body.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const rows = JSON.parse(readFileSync("test/requirements.json", "utf8"));
const [letter] = process.argv.slice(2);
const proven = new Set(["src", "test", "testing"].flatMap(sources).flatMap(named));
const asked = rows.filter(({ since }) => letter === undefined || since === letter);
const open = asked.filter(({ id }) => !proven.has(id));
for (const { since, id, text } of open) console.log(`${since}  ${id}: ${text}`);
for (const since of [...new Set(asked.map((row) => row.since))].sort()) {
  const all = asked.filter((row) => row.since === since);
  console.log(`${since}: ${all.filter(({ id }) => proven.has(id)).length} of ${all.length} proven`);
}
process.exitCode = letter !== undefined && (open.length || !asked.length) ? 1 : 0;

function sources(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules") && !name.endsWith("verifies.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
}
function named(text) {
  return [...text.matchAll(/\bverifies\(([^)]*)\)/g)].flatMap(([, words]) =>
    [...words.matchAll(/"([^"]+)"/g)].map(([, id]) => id),
  );
}
