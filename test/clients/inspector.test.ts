// The official MCP inspector, by its command line: a client that shows whatever the server says, one connection a call.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ended, PACKAGE, type Repository } from "../harness/repository.js";
import { ground, LOOP } from "../mcp/ground.js";

const INSPECTOR = fileURLToPath(new URL("inspector/node_modules/.bin/mcp-inspector", import.meta.url));
const isMissing = !existsSync(INSPECTOR);
if (isMissing) console.log("skipped: the MCP inspector is not installed: node test/clients/install.mjs");

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
async function inspect(repository: Repository, ...flags: string[]): Promise<any> {
  const env = { PATH: process.env.PATH ?? "", HOME: repository.home, USER: "tester", LANG: "C.UTF-8" };
  const server = [process.execPath, join(PACKAGE, "dist", "pawl.js"), "mcp"];
  const child = spawn(INSPECTOR, ["--cli", ...server, "--method", ...flags], { cwd: repository.folder, env });
  return (await ended(child)).json();
}
const call = (repository: Repository, name: string, args: Record<string, string> = {}) =>
  inspect(
    repository,
    ...["tools/call", "--tool-name", name],
    ...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]),
  );

test.skipIf(isMissing)("the MCP inspector lists the tools, and drives a loop up to its gate and past it", async () => {
  using repository = ground({ loop: `${LOOP}human_gate: true\n` });
  const { tools } = await inspect(repository, "tools/list");
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual([
    ...["get_skill", "list_loops", "list_skills", "loop_advance", "loop_continue"],
    ...["loop_explain", "loop_status", "loop_stop", "run_loop"],
  ]);
  const first = await call(repository, "run_loop", { name: "dev" });
  expect(first.content[0].text).toContain("Do alpha now.");
  const paused = await call(repository, "loop_advance", { skill: "alpha", output: "alpha is done" });
  expect(paused.content[0].text).toMatch(/^PAUSED/);
  const refused = await call(repository, "loop_advance", { skill: "beta", output: "sneaked past" });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: expect.any(String) } } });
  const second = await call(repository, "loop_continue", { option: "continue" });
  expect(second.structuredContent.instruction).toContain("Do beta now.");
  const looked = await call(repository, "loop_status");
  expect(looked.structuredContent).toMatchObject({ loop: "dev", status: "running" });
});
