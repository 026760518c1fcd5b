// The memory bank under `.pawl`: plain files that people and agents write too, so nothing found there is followed.
import { chmodSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { MEMORY_FILES, NOTES_FILE, openLearnings, withNote } from "../../core/memory.js";
import { STATE_FILE, withState } from "../../core/state.js";
import type { Memory } from "../../ports/memory.js";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";
import { cleanText, decodeText } from "../files/text.js";
import { codeOf, discard, diskFault, writeNew } from "./disk.js";
import { InTheWay, openFolder } from "./folders.js";
import { type Machine, thisMachine } from "./machine.js";
import { sweep } from "./records.js";

const FOLDER = ".pawl";

export interface MemorySetting extends Partial<Pick<Machine, "pid" | "token" | "startTimeOf">> {
  workspace: string;
}

export function openMemory(setting: MemorySetting): Memory {
  const machine = { ...thisMachine(), ...setting };
  const { workspace } = setting;
  return {
    open() {
      const read = readFile(workspace, NOTES_FILE);
      if (read.trouble !== undefined) return { text: "", trouble: read.trouble };
      return { text: openLearnings(cleanText(read.text ?? "")) };
    },
    add: async (note) => changeFile(workspace, machine, NOTES_FILE, MEMORY_FILES, (text) => withNote(text, note)),
    hasState: () => {
      const { text, trouble } = readFile(workspace, STATE_FILE);
      return text !== undefined || trouble !== undefined;
    },
    tell: async (phase) =>
      changeFile(workspace, machine, STATE_FILE, { [STATE_FILE]: "" }, (text) => withState(text, phase)),
  };
}

type FileRead = { text: string | undefined; trouble?: undefined } | { text?: undefined; trouble: string };

function readFile(workspace: string, name: string): FileRead {
  const shown = `${FOLDER}/${name}`;
  try {
    return { text: decodeText(readArtifact(workspace, shown)) };
  } catch (error) {
    if (!(error instanceof ArtifactFault)) return { trouble: `${shown} cannot be read: ${String(error)}` };
    if (error.code === "artifact-missing") return { text: undefined };
    const max = error.code === "artifact-too-big" ? ` (at most ${ARTIFACT_BYTES_MAX >> 20} MiB)` : "";
    return { trouble: `${shown} is passed over: it ${WHY[error.code]}${max}` };
  }
}

/** Must not throw: says what failed. `missing` are files that are made where there are none. */
function changeFile(
  workspace: string,
  { pid, token, startTimeOf }: ReturnType<typeof thisMachine>,
  name: string,
  missing: Readonly<Record<string, string>>,
  change: (text: string) => string,
): string | undefined {
  try {
    const folder = openFolder(workspace, [FOLDER]);
    try {
      sweep(folder.path, name, startTimeOf);
      for (const [each, text] of Object.entries(missing)) makeMissing(join(folder.path, each), text);
      const read = readFile(workspace, name);
      if (read.trouble !== undefined) return read.trouble;
      const { text = "" } = read;
      const changed = change(text);
      if (changed !== text) replace(join(folder.path, name), changed, `${pid}-${token()}`);
      return undefined;
    } finally {
      folder.close();
    }
  } catch (error) {
    if (error instanceof InTheWay) return `${FOLDER}/${name} is not written: ${error.message}`;
    const fault = diskFault(error, "write the memory bank in", workspace);
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** What stands there already is left as it is, whatever it is. */
function makeMissing(path: string, text: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  try {
    writeNew(path, text, false);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Whole, or not at all; with the rights the file had. */
function replace(path: string, text: string, token: string): void {
  const temp = `${path}.${token}.tmp`;
  try {
    const { mode } = lstatSync(path);
    writeNew(temp, text, true);
    chmodSync(temp, mode & 0o777);
    renameSync(temp, path);
  } catch (error) {
    discard(temp);
    throw error;
  }
}
