import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { type Edited, findBlock, putBlock, takeBlock } from "./block.js";
import { diffOf } from "./diff.js";
import { type Entries, putEntries, takeEntries } from "./json/entries.js";
import { dataOf, readTree } from "./json/tree.js";
import { isCommand, manifestText, readManifest } from "./manifest.js";
import type { Found, Trace } from "./model.js";
import { isOurPlace, planOf } from "./plan.js";
import { COMMAND_FILES, commandFile, LOOP_COMMAND, RULES } from "./texts.js";
import { tablesOf } from "./toml.js";

const done = (edited: Edited): { text: string | undefined; trace: Trace | undefined } => {
  if ("left" in edited) throw new Error(`left alone: ${edited.left}`);
  return edited;
};

describe("the marked block", () => {
  const people = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("# Title", "", "text", "  ", "\r", "\ufeff", "<!-- a comment -->", "```"))
      .map((lines) => lines.join("\n")),
    fc.array(fc.constantFrom("a", "", "b ")).map((lines) => lines.join("\r\n")),
  );
  const foreign = people.filter((text) => findBlock(text, "markdown") === undefined);

  test("comes, stays when it comes again, and goes without a trace, whatever people wrote", () => {
    fc.assert(
      fc.property(fc.option(foreign, { nil: undefined }), (text) => {
        const first = done(putBlock(text, RULES, "markdown", undefined));
        const second = done(putBlock(first.text, RULES, "markdown", first.trace));
        expect(second).toEqual(first);
        expect(first.text?.startsWith(text ?? "")).toBe(true);
        expect(done(takeBlock(first.text, "markdown", first.trace)).text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("of an older release is renewed in its place, and every byte outside is as before", () => {
    const old = "<!-- pawl:begin old words -->\nold rules\n<!-- pawl:end -->";
    fc.assert(
      fc.property(foreign, foreign, (above, below) => {
        const head = above === "" ? "" : `${above}\n`;
        const tail = below === "" ? "" : `\n${below}`;
        const { text = "" } = done(putBlock(head + old + tail, "new rules\n", "markdown", undefined));
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(text.match(/pawl:begin/g)).toHaveLength(1);
        expect(text).toContain("new rules");
        expect(text).not.toContain("old rules");
        const { text: rest } = done(takeBlock(text, "markdown", undefined));
        expect(rest).toBe(head + below);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["a start without an end", "a\n<!-- pawl:begin -->\nb\n"],
    ["an end without a start", "a\n<!-- pawl:end -->\n"],
    ["an end before its start", "<!-- pawl:end -->\n<!-- pawl:begin -->\n"],
    ["two starts", "<!-- pawl:begin -->\n<!-- pawl:begin -->\n<!-- pawl:end -->\n"],
  ])("with %s is left alone and told", (_what, text) => {
    expect(putBlock(text, RULES, "markdown", undefined)).toEqual({
      left: expect.stringContaining("do not belong together"),
    });
    expect(takeBlock(text, "markdown", undefined)).toEqual({ left: expect.stringContaining("do not belong together") });
  });

  test("takes the line ends of the file", () => {
    const { text = "" } = done(putBlock("one\r\ntwo\r\n", "a\nb", "markdown", undefined));
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });

  test("leaves what people wrote below it where it is", () => {
    const { text = "", trace } = done(putBlock("mine", RULES, "markdown", undefined));
    expect(done(takeBlock(`${text}below\n`, "markdown", trace)).text).toBe("mine\n\nbelow\n");
  });

  test("leaves an empty file that was there, and removes one that came with it", () => {
    const there = done(putBlock("", RULES, "markdown", undefined));
    expect(done(takeBlock(there.text, "markdown", there.trace)).text).toBe("");
    const made = done(putBlock(undefined, RULES, "markdown", undefined));
    expect(done(takeBlock(made.text, "markdown", made.trace)).text).toBeUndefined();
  });
});

describe("entries of a JSON file", () => {
  const entries: Entries = {
    puts: [{ at: ["mcpServers", "pawl"], value: { command: "pawl", args: ["mcp"] } }],
    adds: [
      { at: ["hooks", "Stop"], item: { hooks: [{ command: "pawl hook end-of-turn" }] }, sign: "hook end-of-turn" },
    ],
  };
  const spelled = fc.record({
    value: fc.dictionary(
      fc.constantFrom("mcpServers", "hooks", "other", "x"),
      fc.oneof(fc.dictionary(fc.constantFrom("a", "Stop ", "b"), fc.jsonValue({ maxDepth: 2 })), fc.constant({})),
    ),
    indent: fc.constantFrom(0, 2, 4, "\t"),
    comment: fc.constantFrom("", " ", "\n", " // note\n", "/* c */", "\n  // pawl:begin\n\n"),
    comma: fc.boolean(),
    crlf: fc.boolean(),
  });
  /** The same data with comments, trailing commas and blanks wherever JSON with comments allows them. */
  const textOf = ({
    value,
    indent,
    comment,
    comma,
    crlf,
  }: typeof spelled extends fc.Arbitrary<infer T> ? T : never) => {
    const plain = JSON.stringify(value, null, indent);
    const end = plain.lastIndexOf("}");
    const isFilled = Object.keys(value).length > 0;
    const text = `${comment}${plain.slice(0, end).trimEnd()}${comma && isFilled ? "," : ""}${comment}${plain.slice(end)}${comment}`;
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  };

  test("come beside everything else, come once, and go to the byte", () => {
    fc.assert(
      fc.property(spelled, (how) => {
        const text = textOf(how);
        const put = done(putEntries(text, entries, undefined));
        const tree = readTree(put.text ?? "");
        expect(tree, put.text).toBeDefined();
        // biome-ignore lint/suspicious/noExplicitAny: looked at below
        const data = dataOf(tree!) as any;
        expect(data.mcpServers.pawl).toEqual(entries.puts[0]?.value);
        expect(data.hooks.Stop).toEqual([entries.adds[0]?.item]);
        expect(done(putEntries(put.text, entries, put.trace)).text).toBe(put.text);
        expect(done(takeEntries(put.text, entries, put.trace)).text).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("keep comments, order, trailing commas and the order of keys", () => {
    const text = `// mine\n{\n  "model": "x", // why\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }, // theirs\n    ],\n  },\n  "z": [1,2],\n}\n`;
    const { text: now = "", trace } = done(putEntries(text, entries, undefined));
    expect(now).toContain('"model": "x", // why\n');
    expect(now).toContain('{ "hooks": [] }, // theirs\n      {\n');
    expect(now).toContain('"z": [1,2],\n  "mcpServers": {\n    "pawl": {');
    expect(done(takeEntries(now, entries, trace)).text).toBe(text);
  });

  test.each([
    ["not JSON", "{"],
    ["a comma in front", "{,}"],
    ["a key twice", '{"mcpServers": {}, "mcpServers": {}}'],
    ["nothing", ""],
    ["a list", "[]"],
    ["a text where a map must be", '{"mcpServers": "none"}'],
    ["a map where a list must be", '{"hooks": {"Stop": {}}}'],
    ["a server of that name that a person set up", '{"mcpServers": {"pawl": {"command": "mine"}}}'],
  ])("of a file that holds %s are not put: it is left alone", (_what, text) => {
    expect(putEntries(text, entries, undefined)).toEqual({ left: expect.any(String) });
  });

  test("that a person changed are kept when they would be renewed, and when they would go", () => {
    const { text = "", trace } = done(putEntries("{}", entries, undefined));
    const changed = text.replace('"args"', '"env": {}, "args"');
    expect(putEntries(changed, entries, trace)).toEqual({ left: expect.stringContaining('"mcpServers.pawl"') });
    expect(done(takeEntries(changed, entries, trace)).text).toContain('"env": {}');
  });

  test("of an older release are renewed", () => {
    const older: Entries = {
      puts: [{ at: ["mcpServers", "pawl"], value: { command: "old" } }],
      adds: [{ ...entries.adds[0]!, item: { command: "old hook end-of-turn" } }],
    };
    const before = done(putEntries('{"a": 1}', older, undefined));
    const now = done(putEntries(before.text, entries, before.trace));
    expect(now.text).not.toContain("old");
    expect(done(takeEntries(now.text, entries, now.trace)).text).toBe('{"a": 1}');
  });
});

describe("a TOML file", () => {
  test("is looked at without being changed", () => {
    const text = `# c [no]\nmodel = "a # b"\nlist = [\n  1, # x\n  "]",\n]\n[a."b.c"] # t\nx = """\n[not]\n"""\ny = '''#'''\n[[c]]\nd.e = {f = 1}\n`;
    expect(tablesOf(text)).toEqual({ names: ["a.b.c", "c"], keys: ["model", "list", "a.b.c.x", "a.b.c.y", "c.d.e"] });
  });
  test.each(['a = "', 'a = """x', "a = [", "a", "[a", "a = ]", "= 1", "a = 'x\n'"])(
    "that is broken is seen: %j",
    (text) => {
      expect(tablesOf(text)).toBe("broken");
    },
  );
  test("with a table of ours that a person wrote is left alone; others are kept", () => {
    const body = "[mcp_servers.pawl]\ncommand = 1";
    const wish = { kind: "block", path: ".codex/config.toml", body, style: "toml", why: "" } as const;
    const planned = (text: string) =>
      planOf({ wishes: [wish], every: [wish], traces: {}, look: () => ({ text }), sha256: (one) => one });
    expect(planned('model = "x"\n[mcp_servers.other]\ncommand = "y"').changes[0]?.after).toMatch(
      /^model = "x"\n\[mcp_servers\.other\]\ncommand = "y"\n\n# pawl:begin/,
    );
    for (const text of ["[mcp_servers.pawl]\n", "[mcp_servers]\npawl.command = 1", "mcp_servers = {}", 'a = "'])
      expect(planned(text), text).toMatchObject({ changes: [], left: [{ path: ".codex/config.toml" }] });
  });
});

describe("the plan", () => {
  const look = (files: Record<string, Found>) => (path: string) => files[path];
  const own = { kind: "own", path: ".agents/skills/x/SKILL.md", text: "new", why: "" } as const;
  const plan = (files: Record<string, Found>, traces: Record<string, Trace> = {}) =>
    planOf({ wishes: [own], every: [own], traces, look: look(files), sha256: (text) => `#${text}` });

  test("renews a skill that is as it was written, keeps a changed one and a person's own", () => {
    expect(plan({}).changes).toMatchObject([{ after: "new" }]);
    expect(plan({ [own.path]: { text: "old" } }, { [own.path]: { digest: "#old" } }).changes).toMatchObject([
      { after: "new" },
    ]);
    expect(plan({ [own.path]: { text: "mended" } }, { [own.path]: { digest: "#old" } })).toMatchObject({
      changes: [],
      left: [{ why: "was changed by a person" }],
      traces: { [own.path]: { digest: "#old" } },
    });
    expect(plan({ [own.path]: { text: "theirs" } })).toMatchObject({
      changes: [],
      left: [{ why: expect.stringContaining("own file") }],
    });
  });

  test("removes what is no longer shipped, only where files of ours lie", () => {
    const traces = {
      ".agents/skills/gone/SKILL.md": { digest: "#old" },
      "src/main.ts": { digest: "#code" },
      "../x": { digest: "#x" },
    };
    const found = {
      ".agents/skills/gone/SKILL.md": { text: "old" },
      "src/main.ts": { text: "code" },
      "../x": { text: "x" },
    };
    expect(plan({ ...found, [own.path]: { text: "new" } }, traces).changes).toMatchObject([
      { path: ".agents/skills/gone/SKILL.md", after: undefined },
    ]);
    expect(isOurPlace(".agents/skills/../../x")).toBe(false);
  });

  test("says of a file it may not write to why, and passes over a link to the rules", () => {
    const rules = { kind: "block", path: "CLAUDE.md", body: RULES, style: "markdown", why: "" } as const;
    const with_ = (found: Found) =>
      planOf({ wishes: [rules], every: [rules], traces: {}, look: () => found, sha256: (text) => text });
    expect(with_({ trouble: "is a link" }).left).toEqual([{ path: "CLAUDE.md", why: "is a link" }]);
    expect(with_({ trouble: "is a link", leadsTo: "AGENTS.md" })).toEqual({ changes: [], left: [], traces: {} });
  });
});

describe("what is written down", () => {
  test("is read back, and anything else is refused", () => {
    const manifest = {
      choices: { clients: ["codex" as const], command: ["pawl"], hook: true, skills: ["a"] },
      traces: {
        "a.json": { made: true as const, values: { b: "1" }, undo: { c: null, d: "{}" } },
        "b.md": { before: "\n" },
      },
    };
    expect(readManifest(manifestText(manifest))).toEqual(manifest);
    for (const text of [
      "",
      "[]",
      "{}",
      '{"schema":2}',
      manifestText({ ...manifest, choices: { ...manifest.choices, command: ["a;b"] } }),
    ])
      expect(readManifest(text), text).toBe("broken");
  });
  test.each([
    [["pawl"], true],
    [["npx", "--no-install", "pawl"], true],
    [["/opt/x/pawl"], true],
    [["pawl;rm"], false],
    [["$(x)"], false],
    [["a b"], false],
    [[], false],
  ])("as the command %j: %j", (words, good) => expect(isCommand(words)).toBe(good));
});

test("the rules bind to an active run and leave everything else as it is, in at most 60 lines", () => {
  verifies("mcp.rules.loop-mode", "mcp.rules.foreground-unchanged");
  expect(RULES.split("\n").length).toBeLessThanOrEqual(60);
  for (const words of [
    "`.pawl/jobs/<job>/*.json`",
    "`.pawl/jobs/_pending-*/*.json`",
    "none of `complete` and `failed`",
    "current skill only",
    "call `loop_advance` with `skill`",
    "While the status is `paused`, stop",
    "Never say that a gate is approved",
    "outside any loop",
    "write no task file, start no run and call no validator",
  ])
    expect(RULES).toContain(words);
});

test("the slash command is one text under the header of each host", () => {
  verifies("host.command-files");
  const headers = {
    "claude-code": /^allowed-tools: .*mcp__pawl__run_loop/m,
    copilot: /^tools: \[.*'pawl\/\*'/m,
    opencode: /^subtask: true$/m,
    antigravity: /^triggers:\n {2}- /m,
  };
  for (const [host, pattern] of Object.entries(headers)) {
    const { header = "" } = COMMAND_FILES[host as "copilot"] ?? {};
    expect(header, host).toMatch(pattern);
    expect(commandFile(header)).toBe(`---\n${header}\n---\n\n${LOOP_COMMAND}`);
  }
});

test("a diff shows what comes and goes with three lines around it", () => {
  const before = `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n")}\n`;
  const after = before.replace("line 10\n", "line ten\nmore\n");
  expect(diffOf({ path: "a.md", before, after, why: "" })).toBe(
    "--- a/a.md\n+++ b/a.md\n@@ -8,7 +8,8 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n+more\n line 11\n line 12\n line 13",
  );
  expect(diffOf({ path: "a", before: undefined, after: "x", why: "" })).toBe(
    "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file",
  );
});
