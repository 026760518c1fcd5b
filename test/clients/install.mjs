// node test/clients/install.mjs: puts the real clients, at their exact versions, into test/clients/e2e/node_modules (15 to 45 s, 1.3 GB), and
// the MCP inspector into test/clients/inspector/node_modules (15 to 45 s, 160 MB). Says what cannot be had, and ends with 0 all the same: the
// tests that need it then skip, with a word. Claude Code is no optional dependency, because npm drops an optional one that asks for a newer
// Node, and its program runs without any. The inspector stays at 1.0.3: the next one wants Node 22.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

for (const name of ["e2e", "inspector"]) {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  if (!isInstalled(folder)) install(folder);
}

/** And not older than what the lock file names. */
function isInstalled(folder) {
  const done = `${folder}/node_modules/.package-lock.json`;
  return existsSync(done) && statSync(done).mtimeMs >= statSync(`${folder}/package-lock.json`).mtimeMs;
}

function install(folder) {
  try {
    // their programs come built: no script of theirs has to run here
    const args = ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error"];
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "inherit", "pipe"] });
    console.log(`clients installed in ${folder}`);
    for (const name of missing(folder)) console.log(`client not installed, its tests will be skipped: ${name}`);
  } catch (error) {
    const words = String(error.stderr ?? error).trim().split("\n");
    console.log(`clients not installed in ${folder}, their tests will be skipped: ${words.slice(-3).join(" · ")}`);
  }
}

function missing(folder) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.filter((name) => !existsSync(`${folder}/node_modules/${name}/package.json`));
}
