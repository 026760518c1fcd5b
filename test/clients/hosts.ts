// The five clients as hosts of `pawl mcp`: what each is started with so that our server is in it, its files may be written and nobody is
// asked. Only what is needed is allowed, never everything: a tool of ours that needed more would be refused here.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Ended, ended, PACKAGE } from "../harness/repository.js";
import { claudeProgram, MODULES } from "./workbench.js";

export interface Place {
  workspace: string;
  home: string;
  /** Must not hold `home`, or Codex refuses to place its sandbox helper there. */
  temp: string;
  /** Of the scripted model, without a path. */
  url: string;
}
interface Start {
  args: string[];
  env: Record<string, string>;
  /** Path → content. */
  files?: Record<string, string>;
}
export interface Host {
  title: string;
  /** Undefined: not installed. */
  program: string | undefined;
  start(place: Place, prompt: string): Start;
  /** Its own closing event says that it came to its end; an exit code of 0 does not. */
  // biome-ignore lint/suspicious/noExplicitAny: each client has events of its own
  isEnd(event: any): boolean;
}

const KEY = "fake-key-0000";
const MODEL = "fake-model";
const COMMAND = process.execPath;
const ARGS = [join(PACKAGE, "dist", "pawl.js"), "mcp"];

const claude: Host = {
  title: "Claude Code",
  program: claudeProgram,
  start: ({ url }, prompt) => ({
    args: [
      ...["-p", prompt, "--output-format", "stream-json", "--verbose"],
      ...["--permission-mode", "acceptEdits", "--allowedTools", "mcp__pawl"],
      ...["--strict-mcp-config", "--mcp-config", claudeServers],
    ],
    env: claudeEnv(url),
  }),
  isEnd: ({ type, subtype, is_error: isError }) => type === "result" && subtype === "success" && !isError,
};
export const claudeServers: string = JSON.stringify({ mcpServers: { pawl: { command: COMMAND, args: ARGS } } });
export const claudeEnv = (url: string): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: KEY,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
});

/**
 * Inside its own sandbox it calls our tools because of their annotations; no approval is set for them. It gives servers two seconds until
 * the first model call, then goes on without them, silently; `required` makes it wait for ours on a busy machine.
 */
const codex: Host = {
  title: "Codex",
  program: installed(".bin/codex"),
  start: ({ url, home }, prompt) => {
    const provider = `{name="scripted",base_url="${url}/v1",wire_api="responses",env_key="MODEL_KEY"}`;
    const settings = {
      model: JSON.stringify(MODEL),
      model_provider: '"scripted"',
      "model_providers.scripted": provider,
      "mcp_servers.pawl": `{command=${JSON.stringify(COMMAND)},args=${JSON.stringify(ARGS)},required=true}`,
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    return {
      args: ["exec", "--json", "-s", "workspace-write", ...flags, prompt],
      env: { CODEX_HOME: `${home}/.codex`, MODEL_KEY: KEY },
      files: { [`${home}/.codex/config.toml`]: "" }, // the folder must be there
    };
  },
  isEnd: ({ type }) => type === "turn.completed",
};

const opencode: Host = {
  title: "OpenCode",
  program: installed("opencode-linux-x64/bin/opencode"),
  start: ({ url }, prompt) => {
    const options = { baseURL: `${url}/v1`, apiKey: KEY };
    const models = { [MODEL]: { name: MODEL, tool_call: true, limit: { context: 200_000, output: 8_000 } } };
    const config = {
      autoupdate: false,
      share: "disabled",
      snapshot: false, // of the work tree before each step: it takes most of the time
      model: `scripted/${MODEL}`,
      small_model: `scripted/${MODEL}`,
      enabled_providers: ["scripted"],
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models } },
      permission: { edit: "allow", bash: "deny", webfetch: "deny" },
      mcp: { pawl: { type: "local", command: [COMMAND, ...ARGS], enabled: true } },
    };
    return {
      args: ["run", "--format", "json", "--title", "run", prompt], // without a title a first model call makes one up
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    };
  },
  isEnd: ({ type, part }) => type === "step_finish" && part.reason === "stop",
};

const gemini: Host = {
  title: "Gemini CLI",
  program: installed(".bin/gemini"),
  start: ({ url, home }, prompt) => {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: { pawl: { command: COMMAND, args: ARGS, trust: true } },
    };
    return {
      // a model name it knows; the scripted one does not care
      args: [
        ...["-p", prompt, "-m", "gemini-2.5-flash", "--output-format", "stream-json"],
        ...["--skip-trust", "--approval-mode", "auto_edit"],
      ],
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url },
      files: { [`${home}/.gemini/settings.json`]: JSON.stringify(settings) },
    };
  },
  isEnd: ({ type, status }) => type === "result" && status === "success",
};

const copilot: Host = {
  title: "Copilot CLI",
  program: installed(".bin/copilot"),
  start: ({ url, home }, prompt) => {
    const servers = { mcpServers: { pawl: { type: "local", command: COMMAND, args: ARGS, tools: ["*"] } } };
    return {
      args: [
        ...["-p", prompt, "--output-format", "json", "--no-auto-update"],
        ...["--allow-tool", "pawl", "--allow-tool", "write"],
        ...["--additional-mcp-config", JSON.stringify(servers)],
      ],
      env: {
        COPILOT_HOME: `${home}/.copilot`,
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_TYPE: "anthropic",
        COPILOT_PROVIDER_BASE_URL: url,
        COPILOT_PROVIDER_API_KEY: KEY,
        COPILOT_MODEL: "claude-sonnet-4-20250514",
      },
    };
  },
  isEnd: ({ type, exitCode }) => type === "result" && exitCode === 0,
};

export const HOSTS: Host[] = [claude, codex, opencode, gemini, copilot];

function installed(path: string): string | undefined {
  return existsSync(join(MODULES, path)) ? join(MODULES, path) : undefined;
}

/** Its environment is built from nothing: no key, proxy or sandbox mark of the tester's slips in. */
export function hostEnv({ home, temp }: Place): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: temp,
    USER: "tester",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    NO_PROXY: "127.0.0.1,localhost",
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
  };
}

/** One turn, to its end; the whole process group goes when it takes too long. */
export async function performed(host: Host, place: Place, prompt: string, limitMs = 100_000): Promise<Ended> {
  const { args, env, files = {} } = host.start(place, prompt);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const child = spawn(host.program ?? "", args, {
    cwd: place.workspace,
    env: { ...hostEnv(place), ...env },
    detached: true,
  });
  const group = -(child.pid ?? 0);
  const timer = setTimeout(() => group !== 0 && process.kill(group, "SIGKILL"), limitMs);
  const end = await ended(child);
  clearTimeout(timer);
  return end;
}
