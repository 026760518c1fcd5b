// Ties a test to the rows of test/requirements.json it proves. `npm run requirements` reads these calls out of the sources,
// and a row that does not exist fails here, so that a typing error proves nothing.
import { readFileSync } from "node:fs";

const rows = JSON.parse(readFileSync(new URL("../requirements.json", import.meta.url), "utf8")) as { id: string }[];
const known = new Set(rows.map((row) => row.id));

/** Call it in the body of the test that would fail without the behaviour. */
export function verifies(...ids: string[]): void {
  for (const id of ids) if (!known.has(id)) throw new Error(`no requirement is called "${id}"`);
}
