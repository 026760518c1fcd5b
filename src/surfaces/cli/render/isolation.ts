// The isolation profile as it was resolved, every setting by the author's word.
import type { Isolation } from "../../../core/model.js";
import { clean } from "./clean.js";

/** `setsUp`: some step has a setup. */
export function isolationLines(profile: Isolation, setsUp = false): string[] {
  const { engine, image = "host", pull = "missing", egress = [] } = profile;
  const auto = image === "host" ? "auto: bubblewrap, then docker" : "auto: docker, for it has an image";
  return [
    `  engine      ${engine === "auto" ? auto : engine}`,
    ...listed("image", image === "host" ? [] : [`${image} (pulled: ${pull})`]),
    "  network     none for what runs inside",
    ...listed("setup", setsUp ? [egress.length ? `may reach ${egress.join(", ")}` : "has no network either"] : []),
    `  memory      ${sizeText(profile.memoryBytes)}, ${profile.processes} processes, ${profile.cpus} cpus`,
    `  scratch     ${sizeText(profile.scratchBytes)}; output ${sizeText(profile.outputBytes)}; disk floor ${sizeText(profile.diskFloorBytes)}`,
    ...listed("protect", profile.protect),
    ...listed(
      "mounts",
      profile.mounts.map((mount) => `${mount.path} (${mount.access})`),
    ),
    // values may be secrets: only names are shown
    ...listed("env", Object.keys(profile.env)),
    ...listed(
      "require",
      Object.entries(profile.require).map(([guarantee, level]) => `${guarantee}: ${level}`),
    ),
  ];
}

const listed = (name: string, items: string[]): string[] =>
  items.length ? [clean(`  ${name.padEnd(11)} ${items.join(", ")}`)] : [];

export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${Number(size.toFixed(1))} ${units[unit]}`;
}
