// pawl doctor: what works here, what does not, and what to type. Asks everybody; changes nothing.
import { statfsSync } from "node:fs";
import type { Isolation } from "../../core/model.js";
import { FaultError } from "../../ports/errors.js";
import type { Guarantee, Sandbox } from "../../ports/sandbox.js";
import type { CliHouse, Desk } from "./desk.js";
import { clean } from "./render/clean.js";
import { sizeText } from "./render/isolation.js";
import { painter } from "./render/paint.js";

interface Finding {
  what: string;
  ok: boolean;
  /** Not having it is no trouble: an agent that nobody asked for. */
  optional?: boolean;
  text: string;
  mend?: string;
}

export async function doctor(desk: Desk): Promise<number> {
  const house = await desk.house();
  const findings = [...repository(house), disk(house), ...(await engines(desk, house)), ...(await agents(desk, house))];
  const broken = findings.filter((each) => !each.ok && !each.optional);
  if (desk.json) desk.out(`${JSON.stringify({ ok: broken.length === 0, findings }, null, 2)}\n`);
  else desk.out(`${textOf(findings, desk.colour).join("\n")}\n`);
  return broken.length ? 4 : 0;
}

function textOf(findings: Finding[], colour: boolean): string[] {
  const paint = painter(colour);
  return findings.flatMap(({ what, ok, optional, text, mend }) => {
    const mark = ok ? paint("good", "ok  ") : optional ? paint("faint", "--  ") : paint("bad", "NO  ");
    return [`${mark}${clean(what)}: ${clean(text)}`, ...(mend && !ok ? [`      ${clean(mend)}`] : [])];
  });
}

function repository({ where }: CliHouse): Finding[] {
  const { kind, workspace, branch, head, user } = where;
  const place: Record<typeof kind, Finding> = {
    repository: {
      what: "git",
      ok: true,
      text: `${workspace}, ${branch ? `branch ${branch}` : "no branch checked out"}, ${head?.slice(0, 12) ?? ""}`,
    },
    "no-commit": {
      what: "git",
      ok: false,
      text: `${workspace} has no commit yet`,
      mend: "git commit --allow-empty -m start",
    },
    "no-git": {
      what: "git",
      ok: false,
      optional: true,
      text: `${workspace} is no repository: runs work, but cannot commit`,
      mend: "git init",
    },
  };
  const name: Finding = user
    ? { what: "git user", ok: true, text: `${user.name} <${user.email}>` }
    : {
        what: "git user",
        ok: false,
        optional: true,
        text: "not set, so a commit step cannot commit",
        mend: 'git config user.name "…" && git config user.email "…"',
      };
  return kind === "no-git" ? [place[kind]] : [place[kind], name];
}

function disk({ where }: CliHouse): Finding {
  const { bavail, bsize } = statfsSync(where.workspace);
  const free = bavail * bsize;
  const ok = free > DISK_FLOOR_BYTES;
  return {
    what: "disk",
    ok,
    text: `${sizeText(free)} free`,
    mend: `steps stop below ${sizeText(DISK_FLOOR_BYTES)}; free some space`,
  };
}
const DISK_FLOOR_BYTES = 1 << 30;

/** One that holds is enough: the others are no trouble then. */
async function engines(desk: Desk, house: CliHouse): Promise<Finding[]> {
  const usual = (await import("../../config/schema/isolation.js")).usualIsolation();
  const findings = await Promise.all(house.engines.map((engine) => engineFinding(engine, house, usual, desk.signal)));
  const holds = findings.some(({ ok }) => ok);
  return findings.map((finding) => (finding.ok ? finding : { ...finding, optional: holds }));
}

async function engineFinding(
  engine: Sandbox,
  house: CliHouse,
  usual: Isolation,
  signal: AbortSignal,
): Promise<Finding> {
  const what = engine.engine;
  const report = await engine.probe(signal, usual);
  if (!report.usable)
    return { what, ok: false, text: report.why?.message ?? "not usable", mend: report.why?.hint ?? "" };
  const levels = ["kernel", "process", "none"].flatMap((level) => {
    const names = Object.keys(report.holds).filter((name) => report.holds[name as Guarantee] === level); // its own keys
    return names.length ? [`${level}: ${names.join(", ")}`] : [];
  });
  try {
    // by its own name: another engine that would do says nothing about this one
    await house.engine({ ...usual, engine: what as Isolation["engine"] }, signal);
    const ground = report.ground ? `; at ${report.ground}` : "";
    return { what, ok: true, text: `${report.version ?? ""}${ground}; ${levels.join("; ")}` };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return { what, ok: false, text: error.message, mend: error.record.hint ?? levels.join("; ") };
  }
}

async function agents(desk: Desk, house: CliHouse): Promise<Finding[]> {
  const clients = [...house.agents.values()].filter((agent) => agent.use !== "command");
  return Promise.all(
    clients.map(async (agent): Promise<Finding> => {
      const report = await agent.probe({ use: agent.use }, desk.signal);
      const where = agent.confined ? "inside the sandbox" : "outside the sandbox";
      if (report.usable) return { what: agent.use, ok: true, text: `${report.version ?? "found"}, works ${where}` };
      return {
        what: agent.use,
        ok: false,
        optional: true,
        text: report.why ?? "not found",
        ...(report.mend ? { mend: report.mend } : {}),
      };
    }),
  );
}
