// node test/clients/install.mjs: puts the real clients, at their exact versions, into test/clients/e2e/node_modules (about 15 s, 250 MB).
// Says why when it cannot, and ends with 0 all the same: the tests that need them then skip, with a word.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("e2e", import.meta.url));
try {
  execFileSync("npm", ["ci", "--no-fund", "--no-audit"], { cwd: folder, stdio: ["ignore", "inherit", "pipe"] });
  console.log(`clients installed in ${folder}`);
} catch (error) {
  const words = String(error.stderr ?? error).trim().split("\n");
  console.log(`clients not installed, their tests will be skipped: ${words.slice(-3).join(" · ")}`);
}
