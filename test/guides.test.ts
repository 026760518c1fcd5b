// The guides are true: each is followed word by word in an empty repository, and what it shows is what is printed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, differs, follow } from "./harness/guide.js";
import { PACKAGE } from "./harness/repository.js";
import { withBubblewrap } from "./sandbox/here.js";

const GUIDES = readdirSync(join(PACKAGE, "docs/guides")).filter((name) => name.endsWith(".md"));

/** Says its version and that it has finished, as the real one does; it changes nothing. */
const CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo "2.1.332 (Claude Code)"; exit 0;; esac
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"0a0a0a0a-0000-4000-8000-000000000000","model":"stand-in","tools":[],"mcp_servers":[]}'
echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"nothing was left to do","session_id":"0a0a0a0a-0000-4000-8000-000000000000","num_turns":1,"total_cost_usd":0,"usage":{},"permission_denials":[]}'
`;

withBubblewrap("the guides", () => {
  test.each(GUIDES.filter((name) => blocksOf(name).length > 0))(
    "%s can be followed word by word, and shows what is printed",
    { timeout: 180_000 },
    async (name) => {
      await using followed = await follow(name, { claude: CLAUDE });
      expect(followed.shown.length, "places that show what is printed").toBeGreaterThan(0);
      const others = followed.shown.flatMap((place) => {
        const printed = differs(place);
        return printed === undefined ? [] : [`${name}:${place.line} shows something else than\n${printed}`];
      });
      expect(others).toEqual([]);
    },
  );
});
