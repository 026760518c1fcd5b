// One test's private world for a real client: a home, a git work tree, a folder for a visit, and a scripted model on loopback.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FakeModels, type FakeModelsOptions, type Scenario, startFakeModels } from "./fake-models/server.mjs";

/** Where `install.mjs` puts the clients. */
export const MODULES: string = fileURLToPath(new URL("e2e/node_modules", import.meta.url));

/** With `npm ci --ignore-scripts` the program is only in the package of the platform. */
const PROGRAMS = [
  join(MODULES, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
  join(MODULES, ".bin/claude"),
];

/** Where Claude Code is, or undefined when it is not installed. */
export const claudeProgram: string | undefined = PROGRAMS.find((path) => existsSync(path));

/** Where another of the installed clients is, by its path below node_modules. */
export function clientProgram(path: string): string | undefined {
  return existsSync(join(MODULES, path)) ? join(MODULES, path) : undefined;
}
export const codexProgram: string | undefined = clientProgram(".bin/codex");

/** How Codex is told of the scripted model: give it to a performer as `args:`, with MODEL_KEY in its `env:`. */
export function codexArgs(url: string): string[] {
  const retries = "request_max_retries=0,stream_max_retries=0";
  const provider = `{name="scripted",base_url="${url}/v1",wire_api="responses",env_key="MODEL_KEY",${retries}}`;
  return ['model_provider="scripted"', `model_providers.scripted=${provider}`].flatMap((setting) => ["-c", setting]);
}

/** Say it where a test is skipped: `describe.skipIf(skippedBecause !== undefined)`. */
export const skippedBecause: string | undefined =
  claudeProgram === undefined ? "Claude Code is not installed: node test/clients/install.mjs" : undefined;

export interface Workbench {
  root: string;
  /** A git work tree with one commit. */
  workspace: string;
  artifacts: string;
  visitFolder: string;
  home: string;
  models: FakeModels;
  /** Give it to a performer as `command:`. */
  program: string;
  /** The environment Pawl (or the driver) is started with: nothing of the host but PATH. */
  hostEnv: Record<string, string>;
  /** Give it to a performer as `env:`: quick failures instead of ten tries, no talk with anybody but the model. */
  clientEnv: Record<string, string>;
  close(): Promise<void>;
}

export async function openWorkbench(
  scenarios: (workspace: string) => Scenario[],
  options: Omit<FakeModelsOptions, "scenarios"> = {},
): Promise<Workbench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-bench-")));
  const folder = (name: string) => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  const [workspace, artifacts, visitFolder, home, temp] = ["work", "artifacts", "visit", "home", "tmp"].map(folder) as [
    string,
    string,
    string,
    string,
    string,
  ]; // five names, five folders
  const git = (...args: string[]) => execFileSync("git", ["-C", workspace, ...args], { stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=Test", "-c", "user.email=t@example.org", "commit", "--quiet", "--allow-empty", "-m", "Begin");
  const models = await startFakeModels({ scenarios: scenarios(workspace), ...options });
  const hostEnv = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: models.url,
    ANTHROPIC_API_KEY: "fake-key-0000",
  };
  const close = async () => {
    await models.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  const program = claudeProgram ?? "claude";
  return { root, workspace, artifacts, visitFolder, home, models, program, hostEnv, clientEnv: QUICK, close };
}

const QUICK = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  NO_PROXY: "127.0.0.1,localhost",
};
