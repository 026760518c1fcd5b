// What the bundled skills tell an agent to write and what the bundled validators accept are the same thing.
import { expect, test } from "vitest";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { ask, description, formOf, plan, spec, ticked, validation, why } from "./ground.js";

const BRANCH = "feat/add";
const TEST = 'require("node:test")("adds", () => {});\n';

function project(files: Record<string, string>, branch = BRANCH): Repository {
  const repository = Repository.make({ "test/add.test.cjs": TEST });
  repository.git("switch", "-q", "-c", branch);
  repository.write(files);
  return repository;
}

test("a spec that is filled in as create-ticket says is complete, on its own branch", () => {
  verifies("validator.bundled.check-spec-complete");
  using repository = project({ ".pawl/spec.md": spec(BRANCH, "DM-7") });
  expect(ask(repository, "check_spec_complete")).toMatchObject({ pass: true, failed: [] });
  repository.git("switch", "-q", "-c", "other");
  const elsewhere = ask(repository, "check_spec_complete");
  expect(elsewhere.failed).toEqual(["branch_matches"]);
  expect(elsewhere.message).toContain('"other" is checked out');
});

test("without a spec, and with the bare form of one, each unmet check is named", () => {
  verifies("validator.bundled.check-spec-complete");
  const all = [
    "spec_written",
    "ticket_named",
    "branch_matches",
    "sections_filled",
    "criteria_listed",
    "questions_answered",
  ];
  using repository = project({});
  const without = ask(repository, "check_spec_complete");
  expect([without.pass, without.failed]).toEqual([false, all]);
  expect(without.message).toMatch(/^there is no \.pawl\/spec\.md/);
  for (const { message } of without.checks) expect(message).toBe(without.message); // so that it is shown once
  repository.write({ ".pawl/spec.md": formOf("create-ticket") });
  const bare = ask(repository, "check_spec_complete");
  expect([bare.pass, bare.failed]).toEqual([false, all]);
  for (const name of all) expect(bare.message).toContain(name);
});

test("a plan that is filled in as plan says is complete; the bare form is not", () => {
  using repository = project({ ".pawl/spec.md": spec(BRANCH), ".pawl/tasks.md": plan(BRANCH) });
  expect(ask(repository, "check_plan_complete")).toMatchObject({ pass: true, failed: [] });
  repository.write({ ".pawl/tasks.md": formOf("plan") });
  expect(ask(repository, "check_plan_complete").failed).toEqual([
    "plan_written",
    "plan_current",
    "phases_numbered",
    "tasks_listed",
    "criteria_planned",
  ]);
});

test("a report that is filled in as validate says shows adherence; the bare form shows nothing", () => {
  using repository = project({ ".pawl/spec.md": spec(BRANCH), ".pawl/tasks.md": ticked(plan(BRANCH)) });
  repository.commit("work");
  const head = repository.git("rev-parse", "HEAD").trim();
  repository.write({ ".pawl/validation.md": validation(BRANCH, head) });
  expect(ask(repository, "spec_adherence")).toMatchObject({ pass: true, failed: [] });
  repository.write({ ".pawl/validation.md": formOf("validate"), ".pawl/tasks.md": formOf("plan") });
  expect(ask(repository, "spec_adherence").failed).toEqual([
    "phases_ticked",
    "criteria_shown",
    "files_exist",
    "report_current",
    "findings_closed",
  ]);
});

test("a description that is filled in as draft-pr-description says is ready; the bare form is not", () => {
  using repository = project({ ".pawl/pr.md": description(BRANCH) });
  repository.commit("work");
  expect(ask(repository, "check_pr_ready")).toMatchObject({ pass: true, failed: [] });
  repository.write({ ".pawl/pr.md": formOf("draft-pr-description") });
  const bare = ask(repository, "check_pr_ready");
  expect(bare.failed).toEqual(["tree_clean", "pr_described"]);
  expect(why(bare, "tree_clean")).toContain(".pawl/pr.md");
});
