// Suites of other people's packages do inside the sandbox what they do outside it, file by file: files, modes, temp folders, children
// that are Node or a shell, servers and clients on the loopback. A double works before them; nothing of the package is changed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { agents, type Repository } from "../harness/repository.js";
import { type Fetched, fetchPackage, repositoryOf } from "./registry.js";

/** Old suites have a file or two that this Node fails; those must fail inside as well, and nothing beside them. Three tries a file, here
 *  and there: hyperquest's many.js gives twenty requests 200 ms, which a busy machine does not always have. */
const ONE = "node $f || node $f || node $f";
const EACH = `for f in *.js; do if { ${ONE}; } >/dev/null 2>&1; then echo "ok - $f"; else echo "not ok - $f"; fi; done`;
const SUITES = [
  {
    spec: "hyperquest@2.1.3",
    needs: ["tape@3.6.1", "buffer-from@0.1.2", "duplexer2@0.0.2", "through2@0.6.5"], // of its time; tape stands in for tap
    command: `cd test && ${EACH}`,
    files: 10,
  },
  { spec: "mkdirp@0.5.1", needs: ["minimist@0.0.8", "tap@npm:tape@3.6.1"], command: `cd test && ${EACH}`, files: 15 },
  { spec: "rimraf@2.2.8", needs: [], command: "cd test && bash run.sh | sed 's/^/ok - /'", files: 2 },
];

describe.each(SUITES)("$spec", { timeout: 240_000 }, ({ spec, needs, command, files }) => {
  let fetched: Fetched | undefined;
  let repository: Repository | undefined;
  afterEach(() => {
    repository?.[Symbol.dispose]();
    fetched?.remove();
  });

  test("comes to the same, file by file", async (context) => {
    const found = fetchPackage(spec, needs);
    if ("missing" in found) {
      console.log(`skipped: ${found.missing}`);
      return context.skip(found.missing);
    }
    fetched = found;
    repository = repositoryOf(found, (made) =>
      made.write({ ...agents({ dev: "echo >> README.md" }), ...loopOf(command) }),
    );
    const env = { PATH: process.env.PATH, HOME: repository.home, LANG: "C.UTF-8", TERM: "dumb" };
    const outside = spawnSync("sh", ["-c", command], { cwd: repository.folder, env, encoding: "utf8" });
    repository.git("clean", "-fdq");
    repository.git("checkout", "-q", ".");
    const end = await repository.json(["run", "suite"]);
    const inside = readFileSync(join(dirname(end.journal), "visits", "test-1", "console.log"), "utf8");
    expect(told(inside)).toEqual(told(outside.stdout));
    expect(told(inside)).toHaveLength(files);
    expect(told(inside).filter((line) => line.startsWith("ok")).length).toBeGreaterThanOrEqual(files * 0.7);
  });
});

const told = (text: string): string[] => text.split("\n").filter((line) => /^(not )?ok - /.test(line));

const loopOf = (command: string): Record<string, string> => ({
  ".pawl/loops/suite.yaml": `name: suite
agents:
  dev: {use: command, run: "sh agents/dev.sh"}
steps:
  - name: dev
    agent: dev
  - name: test
    command: ${JSON.stringify(command)}
`,
});
