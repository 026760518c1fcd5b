import { expect, test } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { founderOf, isOfBranch, isPending, jobOf, jobTrouble, pendingJob } from "./job.js";
import { NAME_CHARS_MAX } from "./limits.js";

test("the ticket counts when its branch is checked out, else the branch, else unknown with a warning", () => {
  verifies("state.job-id.precedence");
  expect(jobOf({ spec: { ticket: " DM-1 ", branch: "feat/x" }, branch: "feat/x" })).toEqual({
    job: "DM-1",
    ticket: "DM-1",
  });
  expect(jobOf({ branch: "feat/x" })).toEqual({ job: "feat/x", ticket: null });
  expect(jobOf({})).toEqual({
    job: "unknown",
    ticket: null,
    warning: expect.stringContaining("no branch is checked out"),
  });
});

test("a spec of another branch, or of none, is passed over", () => {
  verifies("job.id.spec-not-usable", "job.id.folder-per-branch");
  expect(jobOf({ spec: { ticket: "DM-1", branch: "feat/old" }, branch: "feat/new" })).toEqual({
    job: "feat/new",
    ticket: null,
  });
  expect(jobOf({ spec: { ticket: "DM-1" }, branch: "main" })).toEqual({ job: "main", ticket: null });
  expect(jobOf({ spec: { ticket: "DM-1", branch: "a" } })).toMatchObject({ job: "unknown" });
});

test.each(["none", "None", "unknown", "", "  ", "null", "TBD", "n/a", "-"])('"%s" is no ticket', (ticket) => {
  verifies("job.id.spec-not-usable");
  expect(jobOf({ spec: { ticket, branch: "b" }, branch: "b" })).toEqual({ job: "b", ticket: null });
});

test.each([
  "../../tmp/x",
  "/etc",
  "~/x",
  "C:\\x",
  "a\\b",
  "a//b",
  "a/",
  "a/./b",
  "a\nb",
  "a\u202eb",
  "a/ b",
  "x".repeat(NAME_CHARS_MAX + 1),
])("the ticket %j is refused by name", (ticket) => {
  expect(jobOf({ spec: { ticket: `${ticket}`, branch: "b" }, branch: "b" })).toEqual({
    refused: expect.stringMatching(/^the ticket ".*" in ".pawl\/spec.md" cannot be a job: it /),
  });
});

test("what begins without a ticket has a job of its own, and nobody else can have its name", () => {
  verifies("pending.start");
  const job = pendingJob("spec-1");
  expect([job, isPending(job), founderOf(job)]).toEqual(["_pending-spec-1", true, "spec-1"]);
  expect([isPending("pending-1"), founderOf("DM-1")]).toEqual([false, undefined]);
  expect(jobOf({ branch: job })).toEqual({ refused: expect.stringContaining("kept for runs without a ticket") });
  expect(isOfBranch({ spec: { branch: " b " }, branch: "b" })).toBe(true);
  expect([isOfBranch({ spec: {}, branch: "b" }), isOfBranch({ spec: {} }), isOfBranch({ branch: "b" })]).toEqual([
    false,
    false,
    false,
  ]);
});

test("a hostile branch is refused too, and the longest name is taken", () => {
  expect(jobOf({ branch: "../x" })).toEqual({ refused: 'the branch "../x" cannot be a job: it has the folder ".."' });
  expect(jobTrouble("x".repeat(NAME_CHARS_MAX))).toBeUndefined();
  expect(jobTrouble("feature/ä b/c.d")).toBeUndefined();
  expect(jobTrouble("")).toBe("is empty");
});
