// Hosted loops in real coding agents, with a scripted model behind them: each starts a loop over `pawl mcp`, is stopped at both gates,
// fails the check, mends it and finishes. A client that is not installed is skipped, with its name.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { ground, LOOP } from "../mcp/ground.js";
import { startFakeModels } from "./fake-models/server.mjs";
import { HOSTS, performed } from "./hosts.js";
import { hosted } from "./scenarios.mjs";

const GATED = `${LOOP}human_gate: true\ngate_channel: chat\n`;
const LOOPS = ["run_loop", "loop_advance", "loop_continue", "loop_status", "loop_stop", "loop_explain"];
const TOOLS = [...LOOPS, "list_loops", "list_skills", "get_skill"];

for (const { title, program } of HOSTS)
  if (program === undefined) console.log(`skipped: ${title} is not installed: node test/clients/install.mjs`);

function onRecord(repository: Repository): void {
  const jobs = join(repository.folder, ".pawl/jobs/feature");
  const [file = ""] = readdirSync(jobs).filter((name) => name.endsWith(".json") && !name.endsWith(".flow.json"));
  expect(JSON.parse(readFileSync(join(jobs, file), "utf8"))).toMatchObject({
    status: "complete",
    outcome: "success",
    skills_completed: ["alpha", "beta"],
    skill_outputs: { alpha: "alpha is done", beta: "beta is done" },
    validator_results: { look: { pass: true } },
  });
  const runs = join(repository.folder, ".git/pawl/runs");
  const events = repository.events({ journal: join(runs, readdirSync(runs)[0] ?? "", "journal.jsonl") });
  const answers = events.flatMap(({ answer }) => (answer ? [answer] : []));
  expect(answers).toMatchObject([{ channel: "chat", comment: "they said yes" }, { channel: "chat" }]);
  const begun = events.flatMap(({ type, ticket }) => (type === "begun" ? [ticket.replace(/@.*/, "")] : []));
  expect(begun.filter((name) => /alpha|beta/.test(name) && !name.startsWith("gate-"))).toEqual(["alpha", "beta"]);
  const all = written(repository);
  expect(all).toContain("alpha is done");
  expect(all).not.toContain("sneaked past the gate");
}

/** Every file of Pawl's, as one text. */
function written(repository: Repository): string {
  const folders = [".pawl/jobs", ".git/pawl"].map((name) => join(repository.folder, name));
  const entries = folders.flatMap((path) => readdirSync(path, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")).join("\n");
}

describe.each(HOSTS)("$title", { timeout: 120_000 }, (host) => {
  const { title, program } = host;
  test.skipIf(program === undefined)(
    `${title} drives a loop over pawl mcp: is stopped at each gate, fails the check, mends it, finishes`,
    async () => {
      using repository = ground({ loop: GATED, files: { "work/.keep": "" } });
      repository.git("rm", "-q", "work/ok");
      repository.commit("not yet");
      const agent = hosted("hosted", { loop: "dev", missing: join(repository.folder, "work/ok") });
      const models = await startFakeModels({ scenarios: [agent] });
      const temp = join(repository.root, "tmp");
      mkdirSync(temp);
      const place = { workspace: repository.folder, home: repository.home, temp, url: models.url };
      try {
        const { out, err } = await performed(host, place, "[[hosted]] Run the loop dev.");
        const told = agent.told.join("\n---\n");
        expect(jsonLines(out).some(host.isEnd), `its own closing event in:\n${out}\n${err}\n${told}`).toBe(true);
        const offered = models.requests.find(({ scenario }) => scenario === "hosted")?.tools ?? [];
        for (const tool of TOOLS) expect(offered, title).toContainEqual(expect.stringMatching(new RegExp(`${tool}$`)));
      } finally {
        await models.close();
      }

      // what reached the model, in its order
      const [, first, paused, refused, second, pausedAgain, begun, failed, , again, done] = agent.told;
      expect(first).toContain("Do alpha now.");
      expect(paused).toMatch(/PAUSED\. Run dev-\w+ waits for a person/);
      expect(refused).toContain("is paused, nothing was recorded");
      expect([first, paused, refused].join()).not.toContain("Do beta now.");
      expect(second).toContain("Do beta now.");
      expect(second).toContain("they said yes");
      expect(pausedAgain).toMatch(/PAUSED\. Run dev-\w+ waits for a person/);
      for (const text of [begun, again]) expect(text).toMatch(/is validating: process \d+ is at work on it/);
      expect(failed).toContain("required checks failed");
      expect(failed).toContain("work/ok is not there");
      expect(done).toMatch(/is complete: success/);

      onRecord(repository);
    },
  );
});

// biome-ignore lint/suspicious/noExplicitAny: each client has events of its own
function jsonLines(out: string): any[] {
  return out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}
