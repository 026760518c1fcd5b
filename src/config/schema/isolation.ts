// The key `isolation`: every key tightens or chooses; none switches the sandbox off.
import { z } from "zod";
import { STREAM_BYTES_MAX } from "../../core/limits.js";
import type { Isolation } from "../../core/model.js";
import { compact } from "./compact.js";
import { EGRESS, egressHost, imageName, withPort } from "./egress.js";
import { amount, count, freeText, insidePath, keys, list, table, variable, word } from "./leaf.js";

const KIB = 1024;
const MIB = KIB * 1024;
const GIB = MIB * 1024;
const UNITS: Record<string, number> = { B: 1, KiB: KIB, MiB: MIB, GiB: GIB };
const SIZE = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*(B|KiB|MiB|GiB)\s*$/;

/** Hosts of one list. */
const EGRESS_MAX = 100;
/** Programs at once in one sandbox. */
const PROCESSES_MAX = 32_768;

/** Guarantees without which there is no sandbox; only how they are kept may be chosen. Words of ports/sandbox. */
const FIRM = ["writes", "reads", "environment", "network", "privileges", "syscalls", "git", "kill", "scratch"] as const;
/** Guarantees that some machines cannot give. */
const SOFT = ["orphans", "processes", "memory", "cpu", "disk"] as const;

export const env = () =>
  table(
    variable(),
    z.union(
      [freeText(), keys({ from: variable().meta({ description: "Name of the variable on the host; never stored." }) })],
      { error: "must be text or {from: NAME}; put numbers in quotes" },
    ),
    "NAME: text, or NAME: {from: HOST_NAME}",
  );

export const isolation = () =>
  keys({
    engine: word(["auto", "bubblewrap", "docker"]).default("auto").meta({
      description: "What confines the steps. auto takes the first that holds what `require` asks. Default auto.",
    }),
    image: imageName().default("host").meta({
      description:
        "host: the machine's own programs. Else the name of an image, best with its digest; only Docker takes one. Default host.",
    }),
    pull: word(["missing", "never", "always"])
      .default("missing")
      .meta({ description: "When the image is fetched from its registry. Default missing." }),
    git: word(["readonly"]).default("readonly").meta({
      description: "Whether steps may change the repository's git data: they read it only. Default readonly.",
    }),
    egress: list(egressHost(), "hosts", EGRESS_MAX)
      .default([...EGRESS])
      .meta({
        description:
          "Hosts that a setup may reach, by name and port (443); a step's own command reaches none. Default: the public package registries.",
      }),
    memory: size(16 * MIB, 1024 * GIB)
      .default("2 GiB")
      .meta({ description: "Memory of one step. Default 2 GiB." }),
    processes: count(PROCESSES_MAX).default(512).meta({ description: "Processes of one step. Default 512." }),
    cpus: amount(0.1, 256, "processors").default(2).meta({ description: "Processors of one step. Default 2." }),
    scratch: size(MIB, 1024 * GIB)
      .default("512 MiB")
      .meta({ description: "Size of the scratch folders. Default 512 MiB." }),
    output: size(KIB, STREAM_BYTES_MAX).default("8 MiB").meta({
      description: "Bytes of one stream that are kept; the rest is dropped. Default 8 MiB.",
    }),
    disk_floor: size(MIB, 1024 * GIB)
      .default("1 GiB")
      .meta({
        description: "A step is stopped when less than this is free. Default 1 GiB.",
      }),
    protect: list(insidePath("a path of the repository"), "paths").default([]).meta({
      description:
        "Paths of the repository that steps cannot change; outside the sandbox, a warning where they did. Default none.",
    }),
    mounts: list(
      keys({
        path: mountPath().meta({ description: "An absolute path." }),
        access: word(["read", "write"]).default("read").meta({ description: "Default read." }),
      }),
      "mounts",
    )
      .default([])
      .meta({
        description: "Further folders of the host a step sees, by absolute path. Default none.",
      }),
    env: env().default({}).meta({ description: "Variables of every step: text, or {from: HOST_NAME}. Default none." }),
    require: keys({ ...levels(FIRM, ["kernel", "process"]), ...levels(SOFT, ["kernel", "process", "none"]) })
      .prefault({})
      .meta({
        description:
          "How firmly each guarantee must hold: kernel, process or none. Default: what the engine must hold anyway.",
      }),
  }).refine(({ engine, image }) => image === "host" || engine !== "bubblewrap", {
    path: ["image"],
    error: "must be host where engine is bubblewrap, which knows no images; write engine: docker, or auto",
  });

export function readIsolation(parsed: z.output<ReturnType<typeof isolation>>): Isolation {
  const { memory, scratch, output, disk_floor, require, engine, processes, cpus, protect, mounts, image, pull } =
    parsed;
  return {
    engine,
    processes,
    cpus,
    protect,
    mounts,
    env: parsed.env,
    memoryBytes: sizeBytes(memory),
    scratchBytes: sizeBytes(scratch),
    outputBytes: sizeBytes(output),
    diskFloorBytes: sizeBytes(disk_floor),
    require: compact(require),
    image,
    pull,
    egress: parsed.egress.map(withPort),
  };
}

/** What a loop without `isolation:` asks for. */
export const usualIsolation = (): Isolation => readIsolation(isolation().parse({}));

/** NaN when it is none. */
export function sizeBytes(size: string): number {
  const [, figure, unit] = SIZE.exec(size) ?? [];
  return Math.round(Number(figure) * (UNITS[unit ?? ""] ?? Number.NaN));
}

function size(minBytes: number, maxBytes: number) {
  const error = `must be a size from ${shown(minBytes)} to ${shown(maxBytes)}, such as "512 MiB"`;
  const fits = (text: string) => sizeBytes(text) >= minBytes && sizeBytes(text) <= maxBytes;
  return z.string({ error }).regex(SIZE, { error }).refine(fits, { error });
}
function shown(bytes: number): string {
  const unit = ["GiB", "MiB", "KiB"].find((name) => bytes >= (UNITS[name] ?? 0)) ?? "B";
  return `${bytes / (UNITS[unit] ?? 1)} ${unit}`;
}
function levels<const G extends string, const L extends string>(guarantees: readonly G[], words: readonly L[]) {
  const level = word(words)
    .optional()
    .meta({ description: `How firmly it must hold: ${words.join(", ")}.` });
  // The keys are exactly `guarantees`; fromEntries forgets that.
  return Object.fromEntries(guarantees.map((name) => [name, level])) as Record<G, typeof level>;
}

/** A mount of a home, of the system's own folders or of a socket would hand out what the sandbox keeps back. */
function mountPath() {
  const error = "must be an absolute path that is no home, no system folder and no socket";
  return z
    .string({ error })
    .regex(/^\/\P{C}+$/u, { error })
    .refine((path) => !isKeptBack(path), { error });
}
function isKeptBack(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const [top, ...below] = parts;
  if (top === undefined || parts.includes("..") || parts.at(-1)?.endsWith(".sock") === true) return true;
  if (["proc", "sys", "dev", "etc", "run", "root", "boot"].includes(top)) return true;
  if (["home", "Users"].includes(top)) return below.length < 2;
  return below.length === 0 || (top === "var" && below[0] === "run");
}
