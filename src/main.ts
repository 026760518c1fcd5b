// The process: streams, signals, exit codes, the one place where everything that was thrown is caught. With house.ts the only
// file that knows everybody; the house itself is loaded when a command needs it.
import { join } from "node:path";
import { CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { Refusal } from "./core/refusal.js";
import { FaultError } from "./ports/errors.js";
import type { FailPoint } from "./ports/fail-points.js";
import type { StopOrder } from "./runtime/drive.js";
import type { Desk } from "./surfaces/cli/desk.js";
import { programOf } from "./surfaces/cli/program.js";
import { clean } from "./surfaces/cli/render/clean.js";

/** Runs one command line; never throws. `at` is where tests may kill the process. */
export async function main(argv: string[], { at }: { at?: FailPoint } = {}): Promise<number> {
  const stop = new AbortController();
  const desk = deskOf(stop.signal, at);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => stop.abort(orderOf(desk, signal)));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined); // a reader that left is no trouble of ours
  let code = 0;
  try {
    await programOf(desk, manifest.version, (ended) => {
      code = ended;
    }).parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return tell(desk, error);
  }
}

function deskOf(signal: AbortSignal, at: FailPoint | undefined): Desk {
  const { env } = process;
  const terminal = process.stdin.isTTY === true && process.stderr.isTTY === true && env.TERM !== "dumb" && !env.CI;
  const houseOf = (cwd: string): Desk["house"] => {
    let opened: ReturnType<Desk["house"]> | undefined;
    return () => {
      opened ??= import("./house.js").then(({ openHouse }) => openHouse({ cwd, env, ...(at ? { at } : {}) }));
      return opened;
    };
  };
  return {
    house: houseOf(process.cwd()),
    at(cwd, out) {
      return { ...this, house: houseOf(cwd), cwd, out };
    },
    async mcp() {
      const open = async (folder: string) =>
        (await import("./house.js")).keptHouse({ cwd: folder, env, ...(at ? { at } : {}) });
      const { serve } = await import("./surfaces/mcp/serve.js");
      const err = (text: string) => void process.stderr.write(text);
      const { stdin: input, stdout: output } = process;
      return serve({ version: manifest.version, cwd: process.cwd(), open, input, output, err, signal });
    },
    packaged: async (name) => join((await import("./house.js")).packageFolder(), name),
    cwd: process.cwd(),
    env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal,
    colour: process.stdout.isTTY === true && !env.NO_COLOR,
    columns: () => process.stderr.columns || 80, // a terminal without a size says 0
    signal,
    json: false,
    strict: false,
  };
}

/** A stop that another Pawl asked for left its reason with the run; the signal alone is an interruption. */
function orderOf(desk: Desk, signal: string): StopOrder {
  return { code: "interrupted", reason: `interrupted by ${signal}`, by: desk.env.USER ?? "signal" };
}

/** Issues and refusals 2 (or their own), faults 4, an interruption before there was anything to stop 130, bugs 70. */
function tell(desk: Desk, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const say = (text: string, hint: string | undefined) =>
    desk.err(`${text.split("\n").map(clean).join("\n")}\n${hint ? `  ${clean(hint)}\n` : ""}`);
  if (error instanceof Refusal) {
    if (desk.json)
      desk.out(
        `${JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint }, exit: error.exit }, null, 2)}\n`,
      );
    say(error.message, error.hint);
    return error.exit;
  }
  if (error instanceof FaultError) {
    const { code, message, hint } = error.record;
    if (desk.json) desk.out(`${JSON.stringify({ error: error.record, exit: 4 }, null, 2)}\n`);
    say(code.startsWith("sbx-") ? `${code.toUpperCase()}: ${message}` : message, hint);
    return 4;
  }
  if (isInterruption(desk.signal, error)) {
    say(`${(desk.signal.reason as StopOrder).reason}; nothing was begun`, "see where things stand: pawl status"); // we gave it
    return 130;
  }
  const bug = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say(`This is a bug in Pawl; please report it with these lines:\n${bug}`, undefined);
  return 70;
}

const isInterruption = (signal: AbortSignal, error: unknown): boolean =>
  signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
