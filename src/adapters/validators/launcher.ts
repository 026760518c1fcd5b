// How a validator is started: an executable by itself, everything else by the interpreter its extension asks for.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, extname, join } from "node:path";

const INTERPRETERS: Record<string, string[]> = {
  ".sh": ["sh"],
  ".bash": ["bash"],
  ".py": ["python3"],
  ".js": ["node"],
  ".mjs": ["node"],
  ".cjs": ["node"],
  ".rb": ["ruby"],
  ".pl": ["perl"],
};

/** `typescript` is the module that lets this Node run `.ts` files: registered with --import, readable inside. */
export function launcherOf(
  typescript: string,
): (path: string) => { argv: string[]; readable: string[] } | { missing: string } {
  return (path) => {
    const extension = extname(path);
    if (extension === ".ts" || extension === ".mts") {
      return { argv: [process.execPath, "--import", `file://${typescript}`, path], readable: [dirname(typescript)] };
    }
    const interpreter = INTERPRETERS[extension];
    if (!interpreter)
      return isExecutable(path)
        ? { argv: [path], readable: [] }
        : { missing: `an interpreter for "${extension || path}" files` };
    const [program = ""] = interpreter;
    if (program === "node") return { argv: [process.execPath, path], readable: [] };
    return isFound(program) ? { argv: [...interpreter, path], readable: [] } : { missing: program };
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const isFound = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && isExecutable(join(folder, program)));
