// The command line: names, options and help. What a command does is loaded when it is called.
import { Command, InvalidArgumentError, Option } from "commander";
import { BUDGET_MAX } from "../../core/limits.js";
import { Refusal } from "../../core/refusal.js";
import { isCommand } from "../../setup/manifest.js";
import type { Desk } from "./desk.js";
import type { SetupFlags } from "./setup-flags.js";

/** The commands with their options. `ended` is told the exit code of the one that was called. */
export function programOf(desk: Desk, version: string, ended: (code: number) => void): Command {
  const program = new Command("pawl");
  program
    .description(
      "Runs coding agents through gated, durable loops: what has passed stays passed, and every stop says why.",
    )
    .version(version)
    .helpOption("-h, --help", "show help")
    .option("--json", "one JSON document on stdout, logs on stderr")
    .option("--strict", "a success with warnings ends with 1")
    .exitOverride()
    .configureOutput({ writeOut: desk.out, writeErr: desk.err })
    .hook("preAction", (_program, command) => {
      const { json, strict } = command.optsWithGlobals();
      desk.json = json === true;
      desk.strict = strict === true;
    })
    .action(async () => ended(await (await import("./look.js")).overview(desk)));
  const does =
    (act: (...given: never[]) => Promise<number>) =>
    async (...given: unknown[]) =>
      ended(await act(...(given as never[]))); // commander hands what was declared
  const command = (usage: string, about: string): Command =>
    program
      .command(usage)
      .description(about)
      .option("--json", "one JSON document on stdout")
      .option("--strict", "a success with warnings ends with 1")
      .exitOverride();

  withRunOptions(
    command("run <loop>", "start a run of a loop (by name, or a file by path) and drive it until it rests"),
  ).action(
    does(async (loop: string, options: RunFlags, { args }: Command) => {
      const how = loadOf(loop, options, args);
      if (options.dryRun) return (await import("./plan.js")).plan(desk, loop, how);
      return (await import("./run.js")).run(desk, loop, how);
    }),
  );
  command("resume [run]", "carry on: after a crash, a pause, a fault, exhaustion")
    .option("--max-attempts <n>", "raise the bound of attempts to n", whole)
    .option(
      "--limit <figure=n>",
      "minutes=N, usd=N or tokens=N for the run, STEP.usd=N for one step; repeatable",
      limit,
    )
    .option("--agent <name>", "who works in the place of an IDE's agent: a name of the settings, or claude-code")
    .option("--accept-changes", "what people changed in the tree while the run rested becomes the run's own")
    .action(does(async (run: string | undefined, options) => (await import("./run.js")).resume(desk, run, options)));
  command("answer <run> [option]", "answer a gate, and drive on until the run rests again")
    .alias("approve")
    .option("--comment <text>", "for whoever works next")
    .action(
      does(async (run: string, option: string | undefined, { comment }: { comment?: string }) =>
        (await import("./run.js")).answer(desk, run, option, comment),
      ),
    );
  command("mcp", "serve an IDE's agent over MCP on stdin and stdout").action(does(() => desk.mcp()));
  program
    .command("drive <run>", { hidden: true })
    .action(does(async (run: string) => (await import("./run.js")).driveBehind(desk, run)));
  setupCommands(desk, command, does);
  manageCommands(desk, command, does);
  lookCommands(desk, command, does);
  fileCommands(desk, command, does);
  return program;
}

type Make = (usage: string, about: string) => Command;
type Does = (act: (...given: never[]) => Promise<number>) => (...given: unknown[]) => Promise<void>;

function setupCommands(desk: Desk, command: Make, does: Does): void {
  command(
    "init",
    "set the repository up for its editors and agents: rules, skills, MCP entries, settings, memory files",
  )
    .option("--ides <names>", "for whom: names with commas between them; without it those that are found", list)
    .option("--branch-base <branch>", "the branch that work starts from")
    .option("--production-branch <branch>", "the branch that is in production")
    .option("--agent <name>", "who works where a loop names nobody")
    .option("--skills <names>", "shipped skills to copy: names, all or none", list)
    .option("--hook", "with the gate at the end of a turn, which keeps an agent at its skill")
    .option("--no-hook", "without it")
    .option("--command <words>", 'what starts Pawl on every machine of the team (usually "pawl")', words)
    .option("--yes", "do not ask: write what the flags and the repository say")
    .option("--check", "write nothing; ends with 1 when something would change")
    .option("--remove", "take everything away again that a person has not changed")
    .action(does(async (options: SetupFlags) => (await import("./init.js")).init(desk, options)));
  command("upgrade", "bring up to date what init wrote, and nothing else")
    .option("--check", "write nothing; ends with 1 when something would change")
    .option("--yes", "do not ask")
    .action(
      does(async ({ check, yes }: SetupFlags) =>
        (await import("./init.js")).upgrade(desk, { ...(check ? { check } : {}), ...(yes ? { yes } : {}) }),
      ),
    );
}

function manageCommands(desk: Desk, command: Make, does: Does): void {
  command("stop <run>", "pause a run")
    .option("--reason <text>", "why, for the record")
    .action(
      does(async (run: string, { reason }: { reason?: string }) =>
        (await import("./manage.js")).stop(desk, run, reason),
      ),
    );
  command("abandon <run>", "end a run as aborted")
    .option("--reason <text>", "why, for the record")
    .action(
      does(async (run: string, { reason }: { reason?: string }) =>
        (await import("./manage.js")).abandon(desk, run, reason),
      ),
    );
  command("reset-loop <run>", "archive a killed doer loop, so that it can be started afresh")
    .option("--yes", "do not ask")
    .action(
      does(async (run: string, { yes }: { yes?: boolean }) =>
        (await import("./manage.js")).resetLoop(desk, run, yes ?? false),
      ),
    );
}

function lookCommands(desk: Desk, command: Make, does: Does): void {
  command("status [run]", "where a run stands; without a run: the open one of this job").action(
    does(async (run: string | undefined) => (await import("./look.js")).status(desk, run)),
  );
  command("list", "all runs of this repository").action(does(async () => (await import("./look.js")).list(desk)));
  command("watch [run]", "follow a run that is being driven elsewhere").action(
    does(async (run: string | undefined) => (await import("./watch.js")).watch(desk, run)),
  );
  command("log <run>", "the story of a run")
    .option("-f, --follow", "go on as it grows")
    .action(
      does(async (run: string, { follow }: { follow?: boolean }) =>
        (await import("./watch.js")).log(desk, run, follow ?? false),
      ),
    );
  command(
    "explain <run> [step]",
    "why a run stands where it stands: rule, evidence, what else could have happened, what to type",
  ).action(
    does(async (run: string, step: string | undefined) => (await import("./look.js")).explainRun(desk, run, step)),
  );
  command("verify <run>", "is the journal's chain whole? (a run, or a file)").action(
    does(async (run: string) => (await import("./look.js")).verify(desk, run)),
  );
  command("doctor", "agents, sandbox engines, git, disk: what works here, what does not, how to mend it").action(
    does(async () => (await import("./doctor.js")).doctor(desk)),
  );
  command("demo", "the whole thing on a sample repository, with no key and no network")
    .option("--keep", "make it here, in ./pawl-demo, and not among temporary files")
    .action(does(async ({ keep }: { keep?: boolean }) => (await import("./demo.js")).demo(desk, keep ?? false)));
}

function fileCommands(desk: Desk, command: Make, does: Does): void {
  withRunOptions(command("plan <loop>", "load, check and print the plan; starts nothing, writes nothing")).action(
    does(async (loop: string, options: RunFlags, { args }: Command) =>
      (await import("./plan.js")).plan(desk, loop, loadOf(loop, options, args)),
    ),
  );
  command("validate <files...>", "check loop files").action(
    does(async (files: string[]) => (await import("./plan.js")).validate(desk, files)),
  );
  command("graph <file>", "draw a loop")
    .addOption(new Option("--format <format>", "how").choices(["mermaid", "dot", "json"]).default("mermaid"))
    .action(
      does(async (file: string, { format }: { format: "mermaid" | "dot" | "json" }) =>
        (await import("./plan.js")).graph(desk, file, format),
      ),
    );
  command("schema", "the JSON Schema of loop files, for editors").action(
    does(async () => (await import("./plan.js")).schema(desk)),
  );
}

interface RunFlags {
  input?: Record<string, string>;
  agent?: string;
  maxAttempts?: number;
  maxIter?: number;
  maxResets?: number;
  limit?: Record<string, number>;
  phase?: string;
  dryRun?: boolean;
  plan?: string;
  aidlcUnit?: string;
}

const withRunOptions = (command: Command): Command =>
  command
    .option("--input <k=v>", "a value for the run, for prompts, commands and the commit message; repeatable", input)
    .option("--agent <name>", "who works where the loop names nobody")
    .option("--max-attempts <n>", "attempts over the whole loop, the first one counted", whole)
    .option("--max-iter <n>", "iterations a round (doer loops)", whole)
    .option("--max-resets <n>", "rounds (doer loops)", whole)
    .option(
      "--limit <figure=n>",
      "minutes=N, usd=N or tokens=N for the run, STEP.usd=N for one step; repeatable",
      limit,
    )
    .option("--phase <phase>", "the phase by its slug, an older slug or its position (doer loops)")
    .option("--dry-run", "print the plan instead (pawl plan)")
    .option("--plan <file>", "the plan that the run works on: its document, and its subject")
    .option("--aidlc-unit <unit>", "the unit of an AI-DLC project whose documents the run works on")
    .addHelpText("after", "\nLoaders of a loop's extensions add options of their own: write them behind the loop.")
    .allowUnknownOption() // of a loader that is not loaded yet: who loads it says what is unknown
    .allowExcessArguments();

/** `args`: the loop, and behind it what is no option of ours. */
function loadOf(loop: string, flags: RunFlags, [, ...words]: string[]) {
  if (loop.startsWith("-"))
    throw new Refusal(
      "unknown-option",
      `unknown option "${loop}"`,
      "write the loop first, and options of its extensions behind it",
    );
  const { input, agent, maxAttempts, maxIter, maxResets, plan, aidlcUnit, limit, phase } = flags;
  return {
    ...(limit ? { limit } : {}),
    ...(plan === undefined ? {} : { given: { plan } }),
    ...(aidlcUnit === undefined ? {} : { given: { ...(plan === undefined ? {} : { plan }), "aidlc-unit": aidlcUnit } }),
    ...(words.length ? { words } : {}),
    ...(input ? { input } : {}),
    ...(agent ? { agent } : {}),
    ...(maxAttempts ? { maxAttempts } : {}),
    ...(maxIter ? { maxIter } : {}),
    ...(maxResets ? { maxResets } : {}),
    ...(phase === undefined ? {} : { phase }),
  };
}

function whole(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= BUDGET_MAX) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${BUDGET_MAX}, not "${text}".`);
}

function input(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const at = text.indexOf("=");
  const key = text.slice(0, at);
  if (at < 1 || !/^[A-Za-z][\w-]{0,60}$/.test(key))
    throw new InvalidArgumentError(`It must be key=value, not "${text}".`);
  return { ...before, [key]: text.slice(at + 1) };
}

function limit(text: string, before: Record<string, number> | undefined): Record<string, number> {
  const [, name = "", figure = ""] = /^([A-Za-z0-9][\w.-]{0,220})=(\d{1,12}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (name === "" || Number(figure) <= 0)
    throw new InvalidArgumentError(`It must be FIGURE=N or STEP.FIGURE=N with a number above 0, not "${text}".`);
  return { ...before, [name]: Number(figure) };
}

function list(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))) return names;
  throw new InvalidArgumentError(`It must be names with commas between them, not "${text}".`);
}

function words(text: string): string[] {
  const found = text.trim().split(/\s+/);
  if (isCommand(found)) return found;
  throw new InvalidArgumentError(`It must be plain words without quotes or signs of a shell, not "${text}".`);
}
