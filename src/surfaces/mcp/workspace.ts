// Which repository a call is about: the folder it names, else the client's first root, else the folder the server was started in.
import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "../../core/refusal.js";
import type { McpDesk, McpHouse } from "./desk.js";

const HINT = 'give "workspace_root": the absolute path of the repository';

export async function houseFor(desk: McpDesk, asked: string | undefined, roots: string[]): Promise<McpHouse> {
  const folder = realFolder(asked ?? roots[0] ?? desk.cwd);
  const house = await desk.open(folder);
  const { workspace, kind } = house.where;
  if (workspace === "/" || workspace === house.userFolder)
    throw new Refusal(
      "bad-workspace",
      `"${workspace}" is ${workspace === "/" ? "the root of the disk" : "the home folder"}, no place for a run`,
      HINT,
    );
  if (kind === "no-git" && !existsSync(join(workspace, ".pawl")))
    throw new Refusal("no-workspace", `"${workspace}" holds neither .git nor .pawl`, HINT);
  return house;
}

function realFolder(path: string): string {
  if (!isAbsolute(path)) throw new Refusal("bad-workspace", `workspace_root "${path}" is no absolute path`, HINT);
  try {
    return realpathSync(path);
  } catch {
    throw new Refusal("no-workspace", `there is no folder "${path}"`, HINT);
  }
}

/** Folders among the roots a client names; other kinds of address are passed over. */
export function foldersOf(roots: { uri: string }[]): string[] {
  return roots.flatMap(({ uri }) => {
    try {
      return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
    } catch {
      return []; // another machine's
    }
  });
}
