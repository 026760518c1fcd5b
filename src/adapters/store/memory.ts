// The memory bank under `.pawl`: plain files that people and agents write too, so nothing found there is followed.
import { chmodSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { MEMORY_FILES, NOTES_FILE, openLearnings, withNote } from "../../core/memory.js";
import type { Memory } from "../../ports/memory.js";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";
import { cleanText, decodeText } from "../files/text.js";
import { codeOf, discard, diskFault, writeNew } from "./disk.js";
import { InTheWay, openFolder } from "./folders.js";
import { type Machine, thisMachine } from "./machine.js";
import { sweep } from "./records.js";

const SHOWN = `.pawl/${NOTES_FILE}`;

export interface MemorySetting extends Partial<Pick<Machine, "pid" | "token" | "startTimeOf">> {
  workspace: string;
}

export function openMemory(setting: MemorySetting): Memory {
  const machine = { ...thisMachine(), ...setting };
  const { workspace } = setting;
  return {
    open() {
      const read = readNotes(workspace);
      if ("trouble" in read) return { text: "", trouble: read.trouble };
      return { text: openLearnings(cleanText(read.text ?? "")) };
    },
    async add(note) {
      try {
        return addTo(workspace, machine, (text) => withNote(text, note));
      } catch (error) {
        if (error instanceof InTheWay) return `${SHOWN} is not written: ${error.message}`;
        const fault = diskFault(error, "write the memory bank in", workspace);
        return fault instanceof Error ? fault.message : String(fault);
      }
    },
  };
}

function readNotes(workspace: string): { text: string | undefined } | { trouble: string } {
  try {
    return { text: decodeText(readArtifact(workspace, SHOWN)) };
  } catch (error) {
    if (!(error instanceof ArtifactFault)) return { trouble: `${SHOWN} cannot be read: ${String(error)}` };
    if (error.code === "artifact-missing") return { text: undefined };
    const max = error.code === "artifact-too-big" ? ` (at most ${ARTIFACT_BYTES_MAX >> 20} MiB)` : "";
    return { trouble: `${SHOWN} is passed over: it ${WHY[error.code]}${max}` };
  }
}

function addTo(
  workspace: string,
  { pid, token, startTimeOf }: ReturnType<typeof thisMachine>,
  change: (text: string) => string,
): string | undefined {
  const folder = openFolder(workspace, [".pawl"]);
  try {
    sweep(folder.path, NOTES_FILE, startTimeOf);
    for (const [name, text] of Object.entries(MEMORY_FILES)) makeMissing(join(folder.path, name), text);
    const read = readNotes(workspace);
    if ("trouble" in read) return read.trouble;
    const { text = "" } = read;
    const changed = change(text);
    if (changed !== text) replace(join(folder.path, NOTES_FILE), changed, `${pid}-${token()}`);
    return undefined;
  } finally {
    folder.close();
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
