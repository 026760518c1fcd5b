// What the probe must know of bubblewrap: its version, and how it caps.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { FaultError } from "../../../ports/errors.js";
import type { Sandbox } from "../../../ports/sandbox.js";
import { trouble } from "../faults.js";
import { type Answers, PROBE_MS_MAX, SMALL, type Subject } from "../probe.js";
import { INSTALL, missing } from "./diagnose.js";

const OLDEST = [0, 8, 0];
/** bubblewrap's own environment, which its first process keeps. */
const BARE = "PATH|PWD|OLDPWD|SHLVL|_";

/** `capped`: caps are set by cgroup, and are read back at the start. */
export function subjectOf(engine: Sandbox, program: string, capped: boolean): Subject {
  return {
    engine,
    isolation: {},
    version: (signal) => versionOf(program, signal),
    caps: capped ? "caps by cgroup v1, read back" : "caps by prlimit, inside",
    capsHeld: (answers) => capsHeld(answers, capped),
    diesWithUs: true,
    given: async () => BARE,
  };
}

async function versionOf(program: string, signal: AbortSignal): Promise<string> {
  const said = await promisify(execFile)(program, ["--version"], { signal, timeout: PROBE_MS_MAX }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new FaultError(missing(program)) : error;
    },
  );
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said.stdout);
  const numbers = version?.slice(1).map(Number) ?? [];
  const differs = OLDEST.findIndex((least, i) => numbers[i] !== least);
  if (!version || (differs >= 0 && (numbers[differs] ?? 0) < (OLDEST[differs] ?? 0)))
    throw new FaultError(
      trouble(
        "sbx-bwrap-old",
        `"${program}" is "${said.stdout.trim()}"; the strict profile needs 0.8.0 or later`,
        INSTALL,
      ),
    );
  return version[0];
}

function capsHeld(answers: Answers, capped: boolean): ReturnType<Subject["capsHeld"]> {
  const bounded = answers.get("bounded processes") === "ok";
  if (capped) return { processes: bounded ? "kernel" : "none", memory: "kernel", cpu: "kernel" };
  return {
    processes: bounded && answers.get("processes") === String(SMALL.processes) ? "kernel" : "none",
    memory: answers.get("data") === String(SMALL.memoryBytes) ? "process" : "none",
  };
}
