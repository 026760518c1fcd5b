// node test/clients/install.mjs: puts the real clients, at their exact versions, into test/clients/e2e/node_modules (15 to 40 s, 1.3 GB).
// Says what cannot be had, and ends with 0 all the same: the tests that need it then skip, with a word. Claude Code is no optional
// dependency, because npm drops an optional one that asks for a newer Node, and its program runs without any.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("e2e", import.meta.url));
try {
  // their programs come built: no script of theirs has to run here
  const args = ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error"];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "inherit", "pipe"] });
  console.log(`clients installed in ${folder}`);
  for (const name of missing()) console.log(`client not installed, its tests will be skipped: ${name}`);
} catch (error) {
  const words = String(error.stderr ?? error).trim().split("\n");
  console.log(`clients not installed, their tests will be skipped: ${words.slice(-3).join(" · ")}`);
}

function missing() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.filter((name) => !existsSync(`${folder}/node_modules/${name}/package.json`));
}
