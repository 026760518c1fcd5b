import { describe, expect, it } from "vitest";
import { formatIssue } from "./issues.js";
import { parseSettings } from "./settings.js";

function load(text: string) {
  const parsed = parseSettings(text, "config.yaml");
  if ("issues" in parsed) throw new Error(parsed.issues.map(formatIssue).join("\n"));
  return parsed.settings;
}
const complaints = (text: string) => {
  const parsed = parseSettings(text, "config.yaml");
  return "issues" in parsed ? parsed.issues.map(formatIssue) : [];
};

describe("the settings", () => {
  it("may be empty", () => {
    for (const text of ["", "# nothing yet\n", "{}"]) expect(load(text)).toEqual({ performers: {} });
  });

  it("take a key without a value as unset, and not the next line as its value", () => {
    expect(load("branch_base:\nproduction_branch: main")).toEqual({ performers: {}, productionBranch: "main" });
  });

  it("read one word where a list is meant as a list of one", () => {
    expect(load("ides: vscode").ides).toEqual(["vscode"]);
    expect(load("ides: [vscode, cursor]").ides).toEqual(["vscode", "cursor"]);
  });

  it("say who works by default", () => {
    expect(load("agent: fast\nagents: {fast: {use: codex, model: m, timeout: 60}, mine: host}")).toEqual({
      agent: "fast",
      performers: { fast: { use: "codex", model: "m", timeoutMs: 60_000 }, mine: { use: "host" } },
    });
  });

  it("hold the test command in one line and its time", () => {
    expect(load('test_command: "npm test -- --run"\ntest_timeout: 90')).toEqual({ performers: {} });
    expect(complaints('test_command: "a\\nb"\ntest_timeout: soon')).toEqual([
      expect.stringContaining('"test_command" must be a shell command in one line'),
      expect.stringContaining('"test_timeout" must be a number of seconds'),
    ]);
  });

  it("are as strict as a loop file", () => {
    expect(complaints("documents: ../shared/specs\nagnets: {}\nagents: {a: {use: acp}}\nmax_iter: 3")).toEqual([
      'config.yaml:1:1 "documents" must be a folder of the repository (a relative path without ".."), not "../shared/specs"',
      'config.yaml:2:1 "agnets" is not known (did you mean "agents"?)',
      'config.yaml:3:10 agent "a" with use: acp needs "command", the program to start',
      'config.yaml:4:1 "max_iter" is not known (known here are agents, agent, branch_base, production_branch, ides, documents, job_limits, test_command and test_timeout)',
    ]);
    expect(complaints("- a")).toEqual(["config.yaml:1:1 the file must be keys and values, not a list"]);
  });
});
