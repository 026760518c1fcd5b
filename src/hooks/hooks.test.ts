import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Flow, Json, Node, Run, Verdict } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { HookContext } from "../ports/hook.js";
import { readMarkdown } from "../workers/markdown.js";
import { TASKS } from "./all-phases-complete.js";
import { defineHook, noParams } from "./hook.js";
import { LINKS_MAX } from "./lint-artifacts.js";
import { describe as describeHooks, registryOf } from "./registry.js";

function frontMatter(text: string): { values: Record<string, Json>; body: string } | undefined {
  const [whole, yaml] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  if (whole === undefined) return { values: {}, body: text };
  try {
    return { values: parse(yaml ?? "") as Record<string, Json>, body: text.slice(whole.length) };
  } catch {
    return undefined;
  }
}
function contextOf(files: Record<string, string>, more: Partial<HookContext> = {}): HookContext {
  return {
    run: {} as Run, // no shipped hook looks at the run or the flow
    flow: {} as Flow,
    node: { name: "design" } as Node, // only its name is shown
    visit: 1,
    artifacts: Object.keys(files),
    read: async (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    tree: async () => "after",
    treeBefore: "before",
    validate: async () => ({ status: "pass", findings: [] }),
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    frontMatter,
    markdown: readMarkdown,
    ...more,
  };
}
const registry = registryOf();
const look = (name: string, context: HookContext, params: Json = {}): Promise<Verdict> => {
  const hook = registry.get(name);
  if (!hook) throw new Error(`no hook ${name}`);
  expect(hook.check(params)).toEqual([]);
  return hook.look(context, params);
};
const told = ({ status, findings }: Verdict): string[] => [
  status,
  ...findings.map((each) => `${each.where}: ${each.text}`),
];

describe("the registry", () => {
  test("knows the shipped hooks and the condition by name", () => {
    const { hooks, conditions } = describeHooks(registry);
    expect(Object.keys(hooks)).toEqual(["lint-artifacts", "tree-changed", "validate-artifacts", "validator"]);
    expect(conditions).toEqual(["all_phases_complete"]);
    expect(Object.values(hooks).filter((hook) => hook.effect || hook.does === "speaks")).toEqual([]);
    expect(hooks.validator?.outcomes).toEqual(["optional"]);
  });
  test("takes a hook from outside into the same list, and no second one of a name", () => {
    const own = defineHook({
      name: "own",
      params: noParams,
      effect: false,
      does: "looks",
      outcomes: [],
      look: async () => ({ status: "pass", findings: [] }),
    });
    expect(registryOf([own]).get("own")).toBe(own);
    expect(() => registryOf([own, own])).toThrow('two hooks are called "own"');
  });
  test.each([
    ["validate-artifacts", { section: ["A"] }, []],
    ["validate-artifacts", { sections: "A" }, ["sections"]],
    ["validate-artifacts", { frontMatter: { status: {} } }, ["frontMatter", "status"]],
    ["tree-changed", { otherwise: "stop" }, ["otherwise"]],
    ["tree-changed", { exec: "rm" }, []],
    ["validator", { checks: [] }, ["tool"]],
    ["validator", { tool: "t", timeout_seconds: 0 }, ["timeout_seconds"]],
    ["lint-artifacts", { files: [1] }, ["files", 0]],
    ["all_phases_complete", { file: "x" }, []],
  ] as [string, Json, (string | number)[]][])("%s refuses %j", (name, params, path) => {
    expect(registry.get(name)?.check(params)).toMatchObject([{ path }]);
  });
});

describe("all_phases_complete", () => {
  const done = (text?: string) => look("all_phases_complete", contextOf(text === undefined ? {} : { [TASKS]: text }));
  test("counts an open box in every list form (completion-34)", async () => {
    expect(told(await done("- [x] a\n* [ ] b\n+ [ ] c\n1. [ ] d\n"))).toEqual([
      "block",
      `${TASKS}:2: open: b`,
      `${TASKS}:3: open: c`,
      `${TASKS}:4: open: d`,
    ]);
  });
  test("is met when every box is ticked", async () => {
    expect(told(await done("# Tasks\n\n- [x] a\n  - [X] b\n\n```\n- [ ] example\n```\n<!-- - [ ] off -->\n"))).toEqual([
      "pass",
    ]);
  });
  test("names an open box under an optional heading and does not count it (completion-35)", async () => {
    const text = "- [x] a\n- [x] b\n## Later (Optional)\n### Even later\n- [ ] c\n## Next\n- [x] d";
    expect(told(await done(text))).toEqual(["pass", `${TASKS}:5: optional and open: c`]);
    expect((await done(`${text}\n- [ ] e`)).status).toBe("block");
  });
  test.each([
    "1) [ ] a",
    "    - [ ] a",
    "> - [ ] a",
    "- [] a",
    "- [-] a",
    "- [~] a",
    "- - [ ] a",
    "- [ ]",
    "- [x] a\r\n- [ ] b",
  ])("%j is open", async (text) => {
    expect((await done(text)).status).toBe("block");
  });
  test.each([undefined, "", "All is done.", "```\n- [x] a\n```"])(
    "%j is a fault that names the file, never met (completion-36)",
    async (text) => {
      const fault = await done(text).catch((caught: unknown) => caught);
      expect(fault).toBeInstanceOf(FaultError);
      expect(fault).toMatchObject({ record: { code: "condition-missing", details: { file: TASKS } } });
      expect((fault as FaultError).message).toContain(`"${TASKS}"`);
    },
  );
});

describe("tree-changed", () => {
  test("passes over a change", async () => {
    expect(told(await look("tree-changed", contextOf({})))).toEqual(["pass"]);
  });
  test("warns or blocks over none", async () => {
    const context = contextOf({}, { treeBefore: "after" });
    expect(await look("tree-changed", context)).toMatchObject({ status: "pass", findings: [{ severity: "warning" }] });
    expect(await look("tree-changed", context, { otherwise: "block" })).toMatchObject({
      status: "block",
      findings: [{ severity: "error", text: '"design" changed nothing: the tree is the one it began with' }],
    });
  });
  test("cannot look without the tree before", async () => {
    const { treeBefore: _, ...context } = contextOf({});
    await expect(look("tree-changed", context)).rejects.toThrow(FaultError);
  });
});

test("validator asks with the checks as declared and hands the verdict on", async () => {
  const asked: unknown[] = [];
  const verdict: Verdict = { status: "pass", outcome: "optional", findings: [] };
  const context = contextOf(
    {},
    {
      validate: async (...given) => {
        asked.push(given);
        return verdict;
      },
    },
  );
  expect(await look("validator", context, { tool: "run_tests", checks: [{ name: "a" }] })).toBe(verdict);
  expect(asked).toEqual([["run_tests", [{ name: "a", required: true }], 600_000]]);
});

describe("validate-artifacts", () => {
  const validate = (files: Record<string, string>, params: Json, artifacts = Object.keys(files)) =>
    look("validate-artifacts", contextOf(files, { artifacts }), params);
  const design =
    "---\nstatus: ready\nowner: mo\n---\n# Design\n\n## 1. Architecture\n\nOne engine.\n\n## Testing strategy:\n### Unit\nAll.\n";
  const params = { sections: ["Architecture", "Testing strategy"], frontMatter: { status: ["ready", "approved"] } };

  test("passes what is in order", async () => {
    expect(told(await validate({ "design.md": design }, params))).toEqual(["pass"]);
  });
  test("gives all complaints at once", async () => {
    const files = {
      "a.md": design.replace("One engine.", "<!-- here -->"),
      "b.md": design.replace("ready", "draft"),
      "c.md": "# C\n",
    };
    expect(told(await validate(files, params, [...Object.keys(files), "d.md"]))).toEqual([
      "block",
      'a.md:7: the section "Architecture" of "a.md" is empty',
      'b.md: the front matter of "b.md" has "status": "draft", wanted is "ready" or "approved"',
      'c.md: the front matter of "c.md" has no "status", wanted is "ready" or "approved"',
      'c.md: "c.md" has no section "Architecture"',
      'c.md: "c.md" has no section "Testing strategy"',
      'd.md: "d.md" is missing',
    ]);
  });
  test("blocks without a subject (validators-24)", async () => {
    expect(told(await validate({}, params))).toEqual([
      "block",
      'design: "design" names no artifact: there is nothing to look at',
    ]);
    expect(told(await validate({ "x.md": " \n" }, {}))).toEqual(["block", 'x.md: "x.md" is empty']);
  });
  test("takes one of two files, and blocks on both and on none (validators-25)", async () => {
    const files = [["requirements.md", "bugfix.md"]];
    expect((await validate({ "bugfix.md": "Broken." }, { files })).status).toBe("pass");
    expect(told(await validate({}, { files }))).toEqual([
      "block",
      'requirements.md: neither is there: "requirements.md" or "bugfix.md" must be written',
    ]);
    expect(told(await validate({ "requirements.md": "a", "bugfix.md": "b" }, { files }))).toEqual([
      "block",
      'requirements.md: ambiguous: "requirements.md" and "bugfix.md" are both there, one may be',
    ]);
  });
  test("says that front matter cannot be read", async () => {
    expect(told(await validate({ "a.md": "---\n: [\n---\nx" }, params))).toEqual([
      "block",
      'a.md: the front matter of "a.md" cannot be read',
    ]);
  });
  test("counts open boxes only when asked, with their line", async () => {
    const text = "---\na: b\n---\nText\n- [ ] later\n```\n- [ ] example\n```\n";
    expect((await validate({ "a.md": text }, {})).status).toBe("pass");
    expect(told(await validate({ "a.md": text }, { noOpenBoxes: true }))).toEqual([
      "block",
      'a.md:5: line 5 of "a.md" has an open box: - [ ] later',
    ]);
  });
  test.each([
    "TBD",
    "- TODO: write this",
    "**TBA**",
    "Owner: TBD",
    "> tbd.",
    "[TBD]",
    "To be defined.",
    "...",
    "Lorem ipsum dolor",
  ])("%j is a placeholder", async (text) => {
    expect((await validate({ "a.md": `Text\n\n${text}\n` }, {})).status).toBe("block");
    expect((await validate({ "a.md": `Text\n\n${text}\n` }, { allowPlaceholders: true })).status).toBe("pass");
  });
  test.each([
    "A TODO application",
    "TODO app: requirements",
    "The word TBD is not allowed.",
    "`TBD` is refused",
    "```\nTODO: x\n```",
    "and so on...",
  ])("%j is none", async (text) => {
    expect(told(await validate({ "a.md": text }, {}))).toEqual(["pass"]);
  });
});

describe("lint-artifacts", () => {
  const lint = (files: Record<string, string>, artifacts = Object.keys(files)) =>
    look("lint-artifacts", contextOf(files, { artifacts }));
  test("passes clean ones", async () => {
    const text =
      "---\na: 1\n---\n# A\n\n[b](b.md#x), [c](https://c.de/x.md), [d](#a), [e](docs), `[f](f.md)`\n\n## B\n### Same\n## C\n### Same\n```\n\tx\n```\n";
    expect(told(await lint({ "a.md": text, "b.md": "B" }))).toEqual(["pass"]);
  });
  test("names every place at once", async () => {
    const text =
      "---\na: 1\n---\n# A\n### B\nx\ty\n[gone](sub/gone.md) ![up](../../etc/passwd.png)\n### B\n```\nnever closed\n";
    expect(told(await lint({ "docs/a.md": text }))).toEqual([
      "block",
      "docs/a.md:9: a fence begins here and never ends",
      'docs/a.md:5: the heading "B" skips from level 1 to 3',
      'docs/a.md:8: the heading "B" stands twice in one place',
      "docs/a.md:6: a tab stands here; use blanks",
      'docs/a.md:7: the link to "sub/gone.md" leads to "docs/sub/gone.md", which is not there',
      'docs/a.md:7: the link to "../../etc/passwd.png" leads out of the repository',
    ]);
  });
  test("blocks without a subject or with a missing one, skips what is no Markdown", async () => {
    expect((await lint({})).status).toBe("block");
    expect(told(await lint({}, ["a.md"]))).toEqual(["block", 'a.md: "a.md" is missing']);
    expect(told(await lint({ "a.json": "\t{}" }))).toEqual(["skip"]);
  });
  test("follows a bounded number of links", async () => {
    const links = (count: number) => lint({ "a.md": "[x](gone.md)\n".repeat(count) });
    expect((await links(LINKS_MAX)).findings).toHaveLength(LINKS_MAX);
    expect((await links(LINKS_MAX + 1)).findings).toHaveLength(LINKS_MAX);
  });
});

test.each([" ", "- ", "> ", "#", "[](", "](x.y ", "`", "TBD ", "*_", "- [ ] ", "\t", "=", ":", "-"])(
  "a megabyte of %j is looked at in linear time",
  async (piece) => {
    const text = `# A\n${piece.repeat(1_000_000 / piece.length)}`;
    const begin = performance.now();
    await look("lint-artifacts", contextOf({ "a.md": text }));
    await look("validate-artifacts", contextOf({ "a.md": text }), { sections: ["B"], noOpenBoxes: true });
    await look("all_phases_complete", contextOf({ [TASKS]: `- [x] a\n${text}` }));
    expect(performance.now() - begin).toBeLessThan(6_000);
  },
);
