// What the probe must know of a Docker engine: its version, its image, and how it caps.
import type { Isolation } from "../../../core/model.js";
import type { Sandbox } from "../../../ports/sandbox.js";
import { type Answers, SMALL, type Subject } from "../probe.js";
import type { Image } from "./image.js";

/** Names that are in the environment of every container. */
const ALWAYS = ["HOSTNAME", "PWD", "OLDPWD", "SHLVL", "_", "PATH", "HOME", "TMPDIR", "LANG", "TERM", "PAWL_ARTIFACTS"];
const GIT = ["GIT_OPTIONAL_LOCKS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"];

export function subjectOf(
  engine: Sandbox,
  isolation: Pick<Isolation, "image" | "pull">,
  asked: { version(): Promise<string>; image(): Promise<Image> },
): Subject {
  return {
    engine,
    isolation,
    version: asked.version,
    caps: "caps by the engine, read back inside",
    capsHeld,
    diesWithUs: false,
    given: async (names) => [...ALWAYS, ...GIT, ...names, ...(await asked.image()).variables].join("|"),
  };
}

/** Podman without root takes caps and ignores them: only what is seen inside counts. */
function capsHeld(answers: Answers): ReturnType<Subject["capsHeld"]> {
  const [quota, period] = (answers.get("cpu") ?? "").split(" ").map(Number);
  return {
    processes: answers.get("bounded processes") === "ok" ? "kernel" : "none",
    memory: Number(answers.get("memory")) === SMALL.memoryBytes ? "kernel" : "none",
    cpu: quota && period && quota / period === SMALL.cpus ? "kernel" : "none",
  };
}
