// Other people's packages, as the registry publishes them, with their own suites: what Pawl is made for, and nothing made for it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Repository } from "../harness/repository.js";

const FETCH_MS = 90_000;

export interface Fetched {
  /** The package as it was published, with `node_modules` beside it where its suite needs some. */
  folder: string;
  remove(): void;
}

/** Exact versions only. A reason instead of a package where the registry cannot be reached. */
export function fetchPackage(spec: string, needs: string[] = []): Fetched | { missing: string } {
  const root = mkdtempSync(join(tmpdir(), "pawl-real-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  const npm = (folder: string, ...args: string[]) =>
    execFileSync("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: FETCH_MS,
    });
  try {
    const [packed] = JSON.parse(npm(root, "pack", spec, "--json")) as { filename: string }[]; // npm's own answer
    execFileSync("tar", ["xzf", packed?.filename ?? "", "--warning=none"], { cwd: root });
    const folder = join(root, "package");
    if (needs.length === 0) return { folder, remove };
    const beside = join(root, "needs");
    mkdirSync(beside);
    writeFileSync(join(beside, "package.json"), '{"private": true}\n');
    npm(beside, "install", "--ignore-scripts", ...needs);
    cpSync(join(beside, "node_modules"), join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
    return { folder, remove };
  } catch (error) {
    remove();
    const words = String(error instanceof Error && "stderr" in error && error.stderr ? error.stderr : error);
    return { missing: `${spec} cannot be fetched: ${words.trim().split("\n")[0]}` };
  }
}

/** A repository with the package in its first commit, `node_modules` ignored, and what the test adds or breaks. */
export function repositoryOf({ folder }: Fetched, change: (repository: Repository) => void): Repository {
  const repository = Repository.make({}, { git: "init" });
  cpSync(folder, repository.folder, { recursive: true, verbatimSymlinks: true });
  repository.write({ ".gitignore": "node_modules\n" });
  change(repository);
  repository.commit("start");
  return repository;
}

/** One place of one file, which must be there. */
export function replaceIn(repository: Repository, file: string, from: string, to: string): void {
  const text = repository.read(file);
  if (!text.includes(from)) throw new Error(`"${from}" is not in ${file}`);
  repository.write({ [file]: text.replace(from, () => to) });
}
