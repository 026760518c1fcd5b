// --plan FILE: one document, named by the person who starts the run. It is their file, so it may lie anywhere they can read.
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { Refusal } from "../../ports/errors.js";
import type { Brought, Loader, LoaderTask } from "../../ports/loader.js";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";
import { decodeText } from "../files/text.js";

export const plan: Loader = {
  name: "plan",
  options: { plan: { value: "FILE", about: "the plan that the run works on", default: null } },
  defaultable: false,
  load: async (task) => loadPlan(task),
};

function loadPlan({ workspace, cwd, options }: LoaderTask): Brought {
  const given = options.plan ?? "";
  const path = realpathOf(resolve(cwd, given));
  if (path === undefined || !statSync(path).isFile()) {
    const what = path === undefined ? "does not exist" : "is not a plain file";
    throw new Refusal("missing-document", `the plan "${given}" ${what}`, "give the path of a file with --plan");
  }
  const way = relative(workspace, path);
  const isOutside = way.startsWith("..") || isAbsolute(way);
  const name = isOutside ? basename(path) : way;
  return { subject: name, documents: [{ path: name, text: textOf(path, given) }] };
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string, given: string): string {
  try {
    return decodeText(readArtifact(dirname(path), basename(path), ARTIFACT_BYTES_MAX, "accept"));
  } catch (error) {
    const why = error instanceof ArtifactFault ? WHY[error.code] : String(error);
    throw new Refusal("document-unreadable", `the plan "${given}" ${why}`, "give another file with --plan");
  }
}
