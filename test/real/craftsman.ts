// The agent of the delivery chain: it does what Pawl's answers tell it, in their order, with Claude Code's own tools. It is careless once in each loop,
// and mends only what a check has named: told nothing, or something else, it comes to nothing.
import { join } from "node:path";
import type { Deed, Playing } from "../clients/apprentice.js";
import { callMcp, runCommand, writeFile } from "../clients/tool-calls.mjs";
import { filled } from "../delivery/ground.js";

export const WISH = "Let cmp read versions with a leading v, such as v1.2.3";
const TITLE = "Read versions with a leading v";
const QUESTION = "is V1.2.3 with a capital letter a version too?";

/** From the prompt of a person (the slash command's text, with their words in it) to the end of the last loop. */
export function craftsman(folder: string): (prompt: string) => Playing {
  const hands = handsIn(folder);
  const crafts = craftsOf(hands);
  return function* (prompt) {
    const [, loop = "", wish = ""] = /What was asked for: (\w+) (.*)/.exec(prompt) ?? [];
    if (!/^no run is active/.test(yield* called("loop_status"))) return void (yield "A run is active.");
    let told: string | undefined = yield* called("run_loop", { name: loop, description: wish });
    while (told !== undefined) told = yield* obeyed(told, hands, crafts);
  };
}

/** What the answer says comes next, and the answer to that. Undefined: the person does not want it, or all is over. */
function* obeyed(told: string, hands: Hands, crafts: Crafts): Playing<string | undefined> {
  const [, skill = "", ticket] = /call loop_advance with skill "([^"]+)", ticket "([^"]+)"/.exec(told) ?? [];
  const craft = crafts[skill];
  if (craft) return yield* called("loop_advance", { skill, ticket, output: yield* craft(told) });
  if (/Call loop_status/.test(told)) return yield* called("loop_status");
  if (/call loop_continue with option: continue/.test(told)) {
    const comment = yield `It waits for you. ${told}`;
    return /^yes/i.test(comment) ? yield* called("loop_continue", { option: "continue", comment }) : undefined;
  }
  if (/When the cause is mended, call loop_continue/.test(told)) {
    yield* mended(hands, told, yield `A check has failed. ${told}`);
    return yield* called("loop_continue");
  }
  yield `It is over. ${told}`;
  return undefined;
}

function* called(tool: string, input = {}): Playing<string> {
  return instruction(yield callMcp(tool, input));
}

/** Claude Code shows its model the structured content of an answer. */
function instruction(answer: string): string {
  try {
    return JSON.parse(answer).instruction ?? answer;
  } catch {
    return answer;
  }
}

/* The client's own tools. */

type Hands = ReturnType<typeof handsIn>;

function handsIn(folder: string) {
  const at = (name: string): string => join(folder, name);
  const read = (name: string): Deed => ({ tool: "^Read$", input: { file_path: at(name) } });
  return {
    /** Without the line numbers that the tool puts before each line. */
    *read(name: string): Playing<string> {
      return (yield read(name)).replace(/^ *\d+(?:→|\t)/gm, "");
    },
    *write(name: string, content: string): Playing {
      yield writeFile(at(name), content);
    },
    /** It reads first, as the client demands. */
    *edit(name: string, old_string: string, new_string: string): Playing {
      yield read(name);
      yield { tool: "^Edit$", input: { file_path: at(name), old_string, new_string } };
    },
    /** Each changed path by its name, never Pawl's records. */
    *commit(subject: string): Playing<string> {
      const status = yield runCommand("git status --porcelain --untracked-files=all");
      const paths = [...status.matchAll(/^\s*[AMD?]{1,2}\s+(?!\.pawl\/jobs\/)(\S+)$/gm)].map(([, path]) => path);
      if (paths.length === 0) return "Nothing is left to commit.";
      yield runCommand(`git add -- ${paths.join(" ")}`);
      return yield runCommand(`git commit -m "${subject}"`);
    },
  };
}

/* What each skill asks for. The forms are those of the skills. */

type Crafts = Record<string, (told: string) => Playing<string>>;

function craftsOf(hands: Hands): Crafts {
  return {
    *"create-ticket"(told) {
      if (!told.includes(WISH)) return "I was not told what is wanted.";
      yield runCommand("git switch -c feat/leading-v");
      yield* hands.write(".pawl/spec.md", spec((yield runCommand("git branch --show-current")).trim()));
      return "Wrote the spec with two criteria.";
    },
    *plan() {
      const [, branch = ""] = /^branch: (\S+)/m.exec(yield* hands.read(".pawl/spec.md")) ?? [];
      yield* hands.write(".pawl/tasks.md", plan(branch).replace(/^## Phase \d+:/gm, "###"));
      return "Two phases; the largest risk is a prefix on one side only.";
    },
    *"implement-next-phase"(told) {
      if (/not ok \d+ /.test(told)) {
        yield* hands.edit("index.js", "b.split", "b.replace(/^v/, '').split");
        return `Mended what was red.\n${yield runCommand("npm test")}`;
      }
      const phase = nextPhase(yield* hands.read(".pawl/tasks.md"));
      const output = phase === undefined ? "The plan is done." : yield* build(hands, phase.number);
      if (phase) yield* hands.edit(".pawl/tasks.md", `- [ ] ${phase.task}`, `- [x] ${phase.task}`);
      return output;
    },
    *commit() {
      const done = /^- \[x\] \w+\.js: refuse/m.test(yield* hands.read(".pawl/tasks.md"));
      if (done) return yield* hands.commit("feat: refuse what is no string");
      const isMend = /\[x\]/.test(yield runCommand("git show HEAD:.pawl/tasks.md"));
      return yield* hands.commit(`${isMend ? "fix" : "feat"}: read versions with a leading v`);
    },
    *validate() {
      const branch = (yield runCommand("git branch --show-current")).trim();
      const head = (yield runCommand("git rev-parse HEAD")).trim();
      yield* hands.write(".pawl/validation.md", validation(branch, head));
      return "Both criteria hold.";
    },
    *review() {
      const changed = yield runCommand("git diff main...HEAD --stat");
      if (/readme/.test(changed)) return "No findings.";
      yield* hands.edit(".pawl/validation.md", "- none", `- [ ] ${FINDING}`);
      return FINDING;
    },
    *"update-memory"() {
      const now = yield* hands.read(".pawl/techContext.md");
      const [, said = ""] = /# Technical context\n\n(.+)/.exec(now) ?? [];
      yield* hands.edit(".pawl/techContext.md", said, "Plain JavaScript; `npm test` runs tape over `test/*.js`.");
      return "Learned: npm test runs tape over test/*.js";
    },
    *"draft-pr-description"() {
      const branch = (yield runCommand("git branch --show-current")).trim();
      yield* hands.write(".pawl/pr.md", description(branch, yield runCommand("npm test")));
      return `${TITLE}: the text is in .pawl/pr.md.`;
    },
    *"create-pr"() {
      yield runCommand("git add -- .pawl/jobs");
      yield runCommand('git commit -m "chore: add the records of the job"');
      const pushed = yield runCommand("git push -u origin HEAD");
      return `The branch is ready, and the pull request is to be opened by hand: ${pushed}`;
    },
  };
}

/** What a check has named, at its cause. */
function* mended(hands: Hands, told: string, word: string): Playing {
  if (/questions_answered failed/.test(told))
    yield* hands.edit(".pawl/spec.md", `- ${QUESTION}`, `- [x] ${QUESTION} ${word}`);
  if (/phases_numbered failed/.test(told)) {
    const flat = yield* hands.read(".pawl/tasks.md");
    const [, branch = ""] = /^branch: (\S+)/m.exec(flat) ?? [];
    yield* hands.write(".pawl/tasks.md", plan(branch));
  }
  if (/findings_closed failed/.test(told)) {
    const old = yield* hands.read(".pawl/validation.md");
    const [, was = ""] = /^commit: (\S+)/m.exec(old) ?? [];
    yield* hands.edit(
      "readme.markdown",
      "If `a` equals `b`, return 0;",
      "If `a` equals `b`, return 0;\n\nA leading `v` is ignored.",
    );
    yield* hands.commit("docs: tell of the leading v");
    yield* hands.edit(".pawl/validation.md", was, (yield runCommand("git rev-parse HEAD")).trim());
    yield* hands.edit(".pawl/validation.md", `- [ ] ${FINDING}`, `- [x] ${FINDING}`);
  }
  if (/tree_clean failed/.test(told)) yield* hands.commit("docs: describe the change");
}

const FINDING = "readme.markdown:64 says nothing of the leading v: its readers cannot know; a line below cmp(a, b)";

/** The first phase with an open box. */
function nextPhase(tasks: string): { number: number; task: string } | undefined {
  for (const [, number, text = ""] of tasks.matchAll(/^## Phase (\d+):.*\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)) {
    const [, task] = /^- \[ \] (.*)$/m.exec(text) ?? [];
    if (task !== undefined) return { number: Number(number), task };
  }
  return undefined;
}

const testOf = (title: string, line: string): string => `var cmp = require('../');
var test = require('tape');

test('${title}', function (t) {
    ${line}
    t.end();
});
`;

/** The test first, then the change; the first change forgets one side, and nobody looks. */
function* build(hands: Hands, phase: number): Playing<string> {
  if (phase === 1) {
    const lines = "t.equal(cmp('v1.2.3', '1.2.3'), 0);\n    t.equal(cmp('1.2.3', 'v1.2.4'), -1);";
    yield* hands.write("test/prefix.js", testOf("a leading v is ignored", lines));
    yield* hands.edit("index.js", "a.split", "a.replace(/^v/, '').split");
    return "Wrote the test and the change. All green.";
  }
  const line = "t.throws(function () { cmp(1, '1.2.3'); }, /versions must be strings/);";
  yield* hands.write("test/types.js", testOf("what is no string is refused", line));
  const check = "if (typeof a !== 'string' || typeof b !== 'string') throw new TypeError('versions must be strings');";
  yield* hands.edit("index.js", "(a, b) {", `(a, b) {\n    ${check}`);
  return `Refuses what is no string.\n${yield runCommand("npm test")}`;
}

const spec = (branch: string): string =>
  filled("create-ticket", [
    "none",
    branch,
    TITLE,
    "Tags such as v1.2.3 compare as no numbers.",
    "Versions can be compared as git tags spell them.",
    "cmp('v1.2.3', '1.2.3') is 0, and cmp('1.2.3', 'v1.2.4') is -1",
    "cmp(1, '1.2.3') throws a TypeError with the message \"versions must be strings\"",
    "pre-release parts",
    "the package stays without dependencies",
    QUESTION,
  ]);
const plan = (branch: string): string =>
  filled("plan", [
    "none",
    branch,
    TITLE,
    "The prefix is taken off before the parts are read.",
    "the prefix is read",
    "index.js: take the v off on both sides; test: test/prefix.js (AC-1)",
    "",
    "mistakes are refused",
    "index.js: refuse what is no string; test: test/types.js (AC-2)",
  ]).replace("- [ ] \n", "");
const validation = (branch: string, commit: string): string =>
  filled("validate", [
    branch,
    commit,
    "`test/prefix.js:5` fails without the change",
    "`test/types.js:5` fails without the change",
    "none",
  ]).replace("AC-2: not met:", "AC-2: met:");
const description = (branch: string, suite: string): string =>
  filled("draft-pr-description", [
    branch,
    "main",
    TITLE,
    "Tags such as v1.2.3 could not be compared.",
    "cmp ignores a leading v, and refuses what is no string",
    `npm test: ${/# pass\s+\d+/.exec(suite)?.[0] ?? "red"}`,
    "none",
  ]);
