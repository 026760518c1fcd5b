// npm run third-party: writes THIRD-PARTY.md, the licences of what is bundled into dist. --check: is it in step?
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { rolldown } from "rolldown";
import { loadConfig } from "rolldown/config";

const FILE = "THIRD-PARTY.md";
const found = await packagesOf(await loadConfig("rolldown.config.ts"));
const text = `# What is bundled

The program in \`dist/\` contains these packages. Written by \`npm run third-party\`.
${found.map(section).join("")}`;

if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is not in step with what is bundled: npm run third-party`);
  process.exitCode = 1;
}

/** The folders of node_modules that the bundler took a module from. */
async function packagesOf({ output: _, ...input }) {
  const bundle = await rolldown({ ...input, logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const folders = output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])).flatMap(folderOf);
  return [...new Set(folders)].sort();
}
function folderOf(id) {
  const [path = ""] = id.replace(/^\0+/, "").split("?");
  const at = path.lastIndexOf(`node_modules${sep}`);
  if (at < 0) return [];
  const [scope, name] = path.slice(at + "node_modules/".length).split(sep);
  return [join(path.slice(0, at), "node_modules", scope.startsWith("@") ? join(scope, name) : scope)];
}
function section(folder) {
  const { name, version, license, repository } = packageOf(folder);
  const from = [folder, ...siblingsOf(name, folder, repository?.url)].find((each) => licenceIn(each) !== undefined);
  if (!license || !from) throw new Error(`"${name}" says nothing about its licence: leave it out, or ask`);
  const words = readFileSync(join(from, licenceIn(from)), "utf8")
    .trim()
    .replace(/\r\n/g, "\n");
  return `\n## ${name} ${version} (${license})\n\n\`\`\`text\n${words}\n\`\`\`\n`;
}

/** Some packages of one repository name their licence and leave its text to another of them, under the same licence. */
function siblingsOf(name, folder, url) {
  const modules = join(folder, ...name.split("/").map(() => ".."));
  const all = url === undefined ? [] : ["ai"].map((each) => join(modules, each));
  const { license } = packageOf(folder);
  return all.filter((each) => {
    const sibling = existsSync(join(each, "package.json")) ? packageOf(each) : {};
    return sibling.repository?.url === url && sibling.license === license;
  });
}
function packageOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
function licenceIn(folder) {
  return readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
}
