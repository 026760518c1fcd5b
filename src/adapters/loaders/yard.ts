// Folders and texts of the repository, for loaders: no link is followed out of it, and everything is bounded.
import { type Dirent, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../ports/errors.js";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";
import { decodeText } from "../files/text.js";

/** Documents of one unit, entries of one folder that are looked at, and folders within folders. */
export const UNIT_FILES_MAX = 200;
export const ENTRIES_MAX = 2_000;
const DEPTH_MAX = 8;

export class Yard {
  constructor(private readonly workspace: string) {}

  /** Names of the folders in it, in order; undefined when it is not there. */
  folders(path: string): string[] | undefined {
    return this.entries(path)
      ?.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => entry.name);
  }

  /** Plain files below it, in order, as paths of the repository; undefined when it is not there. */
  files(path: string, depth = 0): string[] | undefined {
    if (depth > DEPTH_MAX) return [];
    return this.entries(path)?.flatMap((entry) => {
      const whole = `${path}/${entry.name}`;
      if (entry.isDirectory()) return this.files(whole, depth + 1) ?? [];
      return entry.isFile() && !entry.name.startsWith(".") ? [whole] : [];
    });
  }

  has(path: string): boolean {
    const [folder, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
    return this.entries(folder)?.some((entry) => entry.isFile() && entry.name === name) ?? false;
  }

  text(path: string, bytesMax: number): string {
    try {
      return decodeText(readArtifact(this.workspace, path, bytesMax));
    } catch (error) {
      const why = error instanceof ArtifactFault ? WHY[error.code] : String(error);
      throw new Refusal("document-unreadable", `the document "${path}" ${why}`, "mend the file, or take it away");
    }
  }

  /** By code units, so that the order is the same everywhere. */
  private entries(path: string): Dirent[] | undefined {
    const whole = join(this.workspace, path);
    try {
      if (realpathSync(whole) !== whole) return undefined; // behind a link: it is not the repository's own
      const found = readdirSync(whole, { withFileTypes: true });
      return found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, ENTRIES_MAX);
    } catch {
      return undefined;
    }
  }
}
