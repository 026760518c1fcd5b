// What the documents show is true: every loop in them loads, every command in them exists, every output is what is printed,
// every link leads somewhere, every guard of an invariant is a test with that name. guides.test.ts follows the guides.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE, Repository } from "./harness/repository.js";
import { verifies } from "./harness/verifies.js";
import { withBubblewrap } from "./sandbox/here.js";

const read = (path: string): string => readFileSync(join(PACKAGE, path), "utf8");
const documents = [
  "README.md",
  "AGENTS.md",
  ...readdirSync(join(PACKAGE, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
interface Block {
  document: string;
  language: string;
  text: string;
  /** The line above the block. */
  above: string;
}
const blocks: Block[] = documents.flatMap((document) =>
  [...read(document).matchAll(/(.*)\n```(\w+)\n([\s\S]*?)```/g)].map(([, above = "", language = "", text = ""]) => ({
    document,
    language,
    text,
    above,
  })),
);
const of = (language: string): Block[] => blocks.filter((block) => block.language === language);
const isOfGuide = ({ document }: Block): boolean => document.startsWith("docs/guides/");

test("every loop in the documents loads without a complaint", async () => {
  const loops = of("yaml").filter((block) => !isOfGuide(block));
  expect(loops.length).toBeGreaterThan(1);
  const named = Object.fromEntries(
    loops.map(({ text }) => [`.pawl/loops/${/^name: (\S+)$/m.exec(text)?.[1] ?? "nameless"}.yaml`, text]),
  );
  expect(Object.keys(named)).toHaveLength(loops.length);
  using repository = Repository.make({ "my-agent.sh": "#!/bin/sh\n", ...named });
  for (const path of Object.keys(named)) {
    const end = await repository.pawl(["validate", path, "--json"]);
    expect(end.json(), path).toEqual([{ file: path, ok: true, issues: [] }]);
    const planned = await repository.pawl(["plan", path]);
    expect([planned.code, planned.err]).toEqual([0, ""]);
  }
});

test("every command in the documents exists", async () => {
  const { scripts } = JSON.parse(read("package.json"));
  const lines = of("sh").flatMap(({ text }) => text.split("\n"));
  const typed = (program: string) =>
    lines.flatMap((line) => new RegExp(`^${program}(?: ([a-z-]+))?( [A-Z]\\w*)?`).exec(line)?.[1] ?? []);
  expect(typed("npm run").length).toBeGreaterThan(0);
  for (const name of typed("npm run")) expect(scripts).toHaveProperty(name);
  const commands = new Set([
    ...typed("pawl"),
    ...[
      ...documents
        .map(read)
        .join("")
        .matchAll(/`pawl ([a-z-]+)/g),
    ].map(([, name = ""]) => name),
  ]);
  for (const later of ["ui", "check"]) commands.delete(later); // named as missing
  expect(commands.size).toBeGreaterThan(8);
  const known = read("docs/commands.md");
  for (const name of commands) expect(known, name).toContain(`## pawl ${name}\n`);
});

withBubblewrap("the README", () => {
  test("shows what is really printed", async () => {
    const wrong = "name: dev\non_optional_failure: wran\nsteps:\n  - name: test\n    comand: npm test\n";
    const red = of("yaml").find(({ text }) => text.startsWith("name: red\n"))?.text ?? "";
    using repository = Repository.make({ "wrong.yaml": wrong, ".pawl/loops/red.yaml": red });
    const shown = blocks.flatMap(({ above, text }) => {
      const [, words] = /^<!-- pawl (.*) -->$/.exec(above) ?? [];
      return words ? [{ words, text }] : [];
    });
    expect(shown).toHaveLength(2);
    for (const { words, text } of shown) {
      const { out } = await repository.pawl(words.split(" "));
      expect(alike(out), words).toBe(alike(text));
    }
  });
});
/** Ids of runs and times differ from run to run. */
const alike = (text: string): string => text.replace(/red-\w{6}/g, "red-xxxxxx").replace(/\d+\.\d s/g, "0.1 s");

test("every link leads to a file", () => {
  const dead = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^https?:/.test(target) && !existsSync(join(PACKAGE, dirname(document), target)))
      .map((target) => `${document}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test("every guard that the architecture names is a test with that title", () => {
  const guards = [...read("docs/architecture.md").matchAll(/`([\w/.-]+\.test\.ts)`: "([^"]+)"/g)];
  expect(guards.length).toBeGreaterThan(15);
  const missing = guards.filter(
    ([, path = "", title = ""]) => !existsSync(join(PACKAGE, path)) || !read(path).includes(title),
  );
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

test("AGENTS.md stays short enough to be read", () => {
  expect(read("AGENTS.md").split("\n").length - 1).toBeLessThanOrEqual(60);
});

test("the page of the sandbox says how each of its codes is cleared, and shows every key of isolation", () => {
  verifies("docs.sandbox-setup");
  const page = read("docs/sandbox.md");
  const sources = readdirSync(join(PACKAGE, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => read(`src/${name}`));
  const codes = new Set(sources.flatMap((text) => [...text.matchAll(/"(sbx-[a-z-]+)"/g)].map(([, code = ""]) => code)));
  expect(codes.size).toBeGreaterThan(18);
  const sections = [...page.matchAll(/^### (SBX-[A-Z-]+)\n\n([^#]+)/gm)];
  expect(sections.map(([, code = ""]) => code.toLowerCase()).sort()).toEqual([...codes].sort());
  for (const [, code, text = ""] of sections) expect(text.trim().length, code).toBeGreaterThan(40);
  const loop = /^isolation:\n([\s\S]*?)^steps:/m.exec(page)?.[1] ?? "";
  const schema = read("src/config/schema/isolation.ts");
  const keys = [...(/keys\(\{\n {4}engine:[\s\S]*?\.refine/.exec(schema)?.[0] ?? "").matchAll(/^ {4}([a-z_]+):/gm)];
  expect(keys.length).toBeGreaterThan(12);
  for (const [, key = ""] of keys) expect(loop, key).toMatch(new RegExp(`^  ${key}:`, "m"));
  for (const head of [
    "Install an engine",
    "The image, and its first pull",
    "Keys of the loop file",
    "Setup, and its stamp",
  ])
    expect(page).toContain(`\n## ${head}\n`);
});
