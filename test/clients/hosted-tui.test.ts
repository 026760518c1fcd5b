// A person at Claude Code's own terminal: the gate of a hosted loop comes up as a form of the client's, and what they choose is theirs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Terminal } from "../harness/terminal.js";
import { until } from "../harness/until.js";
import { ground, LOOP } from "../mcp/ground.js";
import { startFakeModels } from "./fake-models/server.mjs";
import { claudeEnv, claudeServers, hostEnv } from "./hosts.js";
import { asking } from "./scenarios.mjs";
import { claudeProgram, skippedBecause } from "./workbench.js";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const reason =
  skippedBecause ?? (hasTmux ? undefined : "tmux is not installed, so there is no terminal for Claude Code");
if (reason !== undefined) console.log(`skipped: ${reason}`);

/** What Claude Code asks a new user stands answered; the key is known by its end. */
const answered = (workspace: string) => ({
  hasCompletedOnboarding: true,
  theme: "dark",
  customApiKeyResponses: { approved: ["fake-key-0000"] },
  projects: { [workspace]: { hasTrustDialogAccepted: true } },
});
const FORM = "MCP server “pawl” requests your input";

describe.skipIf(reason !== undefined)("Claude Code's own terminal", { timeout: 120_000 }, () => {
  test("shows a gate that wants a person as a form: accepted it opens, closed it is asked about again", async () => {
    using repository = ground({ loop: `${LOOP}human_gate: true\ngate_channel: person\n` });
    const agent = asking("asking", { loop: "dev" });
    const models = await startFakeModels({ scenarios: [agent] });
    const temp = join(repository.root, "tmp");
    mkdirSync(temp);
    writeFileSync(join(repository.home, ".claude.json"), JSON.stringify(answered(repository.folder)));
    const place = { workspace: repository.folder, home: repository.home, temp, url: models.url };
    const flags = ["--allowedTools", "mcp__pawl", "--strict-mcp-config", "--mcp-config", claudeServers];
    const env = { ...hostEnv(place), ...claudeEnv(models.url) };
    try {
      using terminal = Terminal.run(repository, [claudeProgram ?? "claude", ...flags], env);
      await terminal.shows("❯");
      await typed(terminal, "/mcp", "✔ pawl"); // before that its tools are not offered
      await press(terminal, "Escape", (screen) => !screen.includes("MCP servers"));
      await typed(terminal, "[[asking]] Run the loop dev.", "Now number 0.");

      expect(await terminal.shows(FORM)).toContain('"alpha" is done. Go on?');
      await chooses(terminal, "continue");
      await terminal.shows('"beta" is done. Go on?');
      await press(terminal, "Escape", (screen) => agent.told.length > 3 || !screen.includes(FORM));
      await until(() => agent.told.length > 3, "the agent has heard of it");
      expect(agent.told[3]).toMatch(/PAUSED\. Run dev-\w+ waits for a person: .{2}beta/);
      await terminal.shows(FORM);
      await chooses(terminal, "continue");
      await terminal.shows("All done.");
      await typed(terminal, "/exit", "exit 0");
    } finally {
      await models.close();
    }
    const [, first, second, , begun, done] = agent.told;
    expect(first).toContain("Do alpha now.");
    expect(second).toContain("Do beta now.");
    expect(begun).toMatch(/is validating: process \d+ is at work on it/);
    expect(done).toMatch(/is complete: success/);
    const runs = join(repository.folder, ".git/pawl/runs");
    const events = repository.events({ journal: join(runs, readdirSync(runs)[0] ?? "", "journal.jsonl") });
    const answers = events.flatMap(({ answer, by }) => (answer ? [{ ...answer, by }] : []));
    const own = { channel: "elicitation", who: "Test Person", by: "Test Person" };
    expect(answers).toMatchObject([own, own]);
  });
});

/** Keys that come right after a redraw may be lost: pressed again, like a person does, until it is seen to work. */
async function press(terminal: Terminal, key: string, worked: (screen: string) => boolean): Promise<void> {
  for (let times = 0; times < 5; times++) {
    terminal.keys(key);
    const seen = until(() => worked(terminal.screen()), `what "${key}" does`, 5_000);
    if (
      await seen.then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Error(`"${key}" does nothing at:\n${terminal.screen()}`);
}

async function typed(terminal: Terminal, line: string, worked: string): Promise<void> {
  terminal.keys(line);
  await terminal.shows(line);
  await press(terminal, "Enter", (screen) => screen.includes(worked));
}

/** The form's first field is the option; below the comment is Accept. */
async function chooses(terminal: Terminal, option: string): Promise<void> {
  await terminal.shows("▸ not set");
  await press(terminal, "Right", (screen) => screen.includes(`❯ ◯ ${option}`));
  await press(terminal, "Enter", (screen) => screen.includes(`✔ option: ${option}`));
  await press(terminal, "Down", (screen) => screen.includes("❯ Accept"));
  await press(terminal, "Enter", (screen) => !screen.includes(`✔ option: ${option}`));
}
