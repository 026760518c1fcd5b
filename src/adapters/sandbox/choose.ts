// Chooses the engine of a run: the first that keeps every promise the loop requires. None is a fault before the first step.
import type { Isolation } from "../../core/model.js";
import type { EngineReport, Sandbox } from "../../ports/sandbox.js";
import { fault } from "./faults.js";
import { shortfalls } from "./guarantees.js";

export interface Choice {
  engine: Sandbox;
  report: EngineReport;
  /** Every engine that was asked, the chosen one last. */
  tried: EngineReport[];
}

const INSTALL = "sudo apt install bubblewrap";

/** `engines` in the order of preference. Asks no further engine once one will do. Throws a FaultError. */
export async function chooseEngine(
  engines: readonly Sandbox[],
  isolation: Isolation,
  signal: AbortSignal,
): Promise<Choice> {
  const { image = "host" } = isolation;
  const fits = (engine: string) =>
    (isolation.engine === "auto" || engine === isolation.engine) && (image === "host" || engine !== "bubblewrap"); // it knows no images
  const wanted = engines.filter(({ engine }) => fits(engine));
  if (wanted.length === 0) throw absent(isolation.engine, engines);
  const tried: EngineReport[] = [];
  for (const engine of wanted) {
    signal.throwIfAborted();
    const report = await engine.probe(signal, isolation);
    signal.throwIfAborted(); // a probe that was cut short says "unusable", which is no answer
    tried.push(report);
    if (report.usable && shortfalls(report, isolation.require).length === 0) return { engine, report, tried };
  }
  throw refusal(tried, isolation);
}

function absent(name: string, engines: readonly Sandbox[]) {
  const known = engines.map(({ engine }) => `"${engine}"`).join(", ") || "none";
  return fault(
    "sbx-no-engine",
    `isolation.engine is "${name}", and this release has no "${name}" engine; it has: ${known}`,
    `write \`engine: auto\` in \`isolation:\`; if bubblewrap is missing: \`${INSTALL}\``,
  );
}

function refusal(tried: EngineReport[], isolation: Isolation) {
  const weak = tried.filter(({ usable }) => usable);
  const reasons = tried.map((report) => `"${report.engine}": ${reason(report, isolation)}`);
  const details = { tried: reasons };
  if (weak.length > 0)
    return fault(
      "sbx-weak",
      `no sandbox engine here keeps what this loop requires. ${reasons.join("; ")}`,
      "run as root where cgroups can be written, or accept less by name in the loop file, which is recorded: " +
        `\`isolation: {require: {${[...new Set(weak.flatMap((report) => accepted(report, isolation)))].join(", ")}}}\``,
      details,
    );
  return fault(
    "sbx-no-engine",
    `no sandbox engine works on this machine, and nothing runs without one. ${reasons.join("; ")}`,
    tried.length === 1 && tried[0]?.why?.hint ? tried[0].why.hint : `\`${INSTALL}\`, then \`pawl doctor\``,
    details,
  );
}

function reason(report: EngineReport, isolation: Isolation): string {
  if (!report.usable) return report.why?.message ?? "unusable, and does not say why";
  return shortfalls(report, isolation.require)
    .map(({ guarantee, needed, offered }) => `${guarantee} is kept by "${offered}", required is "${needed}"`)
    .join(", ");
}

function accepted(report: EngineReport, isolation: Isolation): string[] {
  return shortfalls(report, isolation.require).map(({ guarantee, offered }) => `${guarantee}: ${offered}`);
}
