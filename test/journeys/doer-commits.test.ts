// What a doer and reviewer loop leaves in git and beside it: two commits an iteration, one at each ending, LOOP.md and STATE.md.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocked, judged, loopMdOf, phase } from "../harness/phase.js";
import type { Repository } from "../harness/repository.js";
import { Terminal } from "../harness/terminal.js";
import { verifies } from "../harness/verifies.js";

const how = { branch: "checkout" };
const STATE = ".pawl/STATE.md";
const FOLDER = ".pawl/jobs/checkout";
const tracked = { [STATE]: "# State\n\nMine.\n" };
const SMALL = ["run", "phase", "--max-iter", "2", "--max-resets", "2"];
const left = (repository: Repository) => repository.git("status", "--porcelain").trim();
const pageOf = ({ folder }: Repository) => loopMdOf({ record: join(folder, FOLDER, "x.json") });
const stateOf = (repository: Repository) =>
  repository
    .read(STATE)
    .split("\n")
    .filter((line) => line.startsWith("- phase: "));
const filesOf = (repository: Repository, back: number) =>
  repository.git("show", "--format=", "--name-only", `HEAD~${back}`).trim().split("\n");

describe("an iteration", { timeout: 180_000 }, () => {
  it("leaves one commit of the work and one of the review, each on its own, whatever the verdict", async () => {
    verifies("doer.iter.two-commits", "terminal.converged", "loopmd.history-line", "terminal.clean-tree");
    using repository = phase({ reviews: [blocked("one"), judged("APPROVED")], how, files: tracked });
    const result = await repository.pawl(["run", "phase"]);
    expect(result.code).toBe(0);
    expect(repository.commits()).toEqual([
      "chore(checkout): loop converged at iter 2 (APPROVED)",
      "chore(checkout): review of iter 2 (APPROVED)",
      "feat(checkout): work of iter 2",
      "chore(checkout): review of iter 1 (BLOCKED)",
      "feat(checkout): work of iter 1",
      "start",
    ]);
    expect(filesOf(repository, 4)).toEqual(["work.txt"]);
    expect(filesOf(repository, 3)).toEqual([`${FOLDER}/REVIEW.md`]);
    expect(filesOf(repository, 2)).toEqual(["work.txt"]);
    expect(filesOf(repository, 1)).toEqual([`${FOLDER}/REVIEW.md`]);
    expect(filesOf(repository, 0)).toEqual(expect.arrayContaining([`${FOLDER}/LOOP.md`, STATE]));
    expect(left(repository)).toBe("");
    const { front, history, text } = pageOf(repository);
    expect(front).toMatchObject({ phase_slug: "checkout", iter: "2", status: "converged" });
    expect(history).toHaveLength(2);
    const [, first] = /commit=([0-9a-f]{7})/.exec(text) ?? [];
    expect(repository.git("rev-parse", "--short=7", "HEAD~4").trim()).toBe(first);
    for (const told of [
      "phase checkout: converged (verified)",
      "iteration 2 of 5",
      "0 of 3 resets used",
      "verdict APPROVED",
      `folder: ${FOLDER}`,
      "next: the next phase",
    ])
      expect(result.out).toContain(told);
  });

  it("of several reviewers leaves one review each in one commit", async () => {
    const loop = `name: phase
agents:
  doer: {use: command, run: "sh agents/doer.sh"}
  style: {use: command, run: "sh agents/reviewer.sh"}
  safety: {use: command, run: "sh agents/reviewer.sh"}
doer: doer
reviewer: [style, safety]
`;
    using repository = phase({ reviews: [judged("APPROVED")], how, files: { ".pawl/loops/phase.yaml": loop } });
    expect((await repository.pawl(["run", "phase"])).code).toBe(0);
    expect(filesOf(repository, 1)).toEqual([`${FOLDER}/REVIEW-safety.md`, `${FOLDER}/REVIEW-style.md`]);
    expect(left(repository).split("\n")).toEqual([`?? ${STATE}`]);
  });

  it("is not committed on a protected branch or from a tree that was not clean, and the start says so", async () => {
    using main = phase({ reviews: [judged("APPROVED")] });
    const there = await main.pawl(["run", "phase"]);
    expect(there.err).toContain('no commits are made here: "main" is a branch that takes no commits of Pawl\'s own');
    expect([there.code, main.commits()]).toEqual([0, ["start"]]);
    using dirty = phase({ reviews: [judged("APPROVED")], how });
    dirty.write({ "mine.txt": "mine\n" });
    const result = await dirty.pawl(["run", "phase"]);
    expect(result.err).toContain("the tree was not clean when the run began");
    expect(dirty.commits()).toEqual(["chore(checkout): loop converged at iter 1 (APPROVED)", "start"]);
    expect(left(dirty)).toContain("?? mine.txt");
  });

  it("whose commit a hook of the repository refuses goes on, and the run says so with the command to type", async () => {
    using repository = phase({ reviews: [judged("APPROVED")], how });
    repository.write({ ".git/hooks/pre-commit": "#!/bin/sh\necho too long; exit 1\n" });
    const { code, outcome, warnings } = await repository.json(["run", "phase"]);
    expect([code, outcome]).toEqual([0, "success"]);
    expect(warnings.join("\n")).toMatch(/the work of "doer" \(visit 1\) is not committed: .*too long.*; by hand: /);
  });
});

describe("an ending", { timeout: 180_000 }, () => {
  it("that a person is to confirm is committed as pending, and again when it is confirmed", async () => {
    verifies("terminal.converged", "terminal.state-md", "terminal.clean-tree");
    using repository = phase({ reviews: [judged("APPROVED_PENDING_MANUAL")], how, files: tracked });
    const { run } = await repository.json(["run", "phase"]);
    expect(repository.commits()[0]).toBe("chore(checkout): loop converged at iter 1 (pending manual DoD)");
    expect(left(repository)).toBe("");
    expect(stateOf(repository)).toEqual([
      expect.stringMatching(
        /^- phase: checkout \| status: pending_manual_dod \| verdict: APPROVED_PENDING_MANUAL \| .*pawl answer phase-\S+ confirmed/,
      ),
    ]);
    await repository.json(["answer", run, "confirmed"]);
    expect(repository.commits()[0]).toBe("chore(checkout): loop converged at iter 1 (APPROVED_PENDING_MANUAL)");
    expect(stateOf(repository)).toEqual([expect.stringContaining("status: verified")]);
    expect(left(repository)).toBe("");
  });

  it("whose manual items do not work opens the loop again, at the cost of a round and with the person's words", async () => {
    using repository = phase({
      reviews: [judged("APPROVED_PENDING_MANUAL"), judged("APPROVED")],
      doer: "cat > doer-$PAWL_VISIT.txt",
      how,
    });
    const { run } = await repository.json(["run", "phase"]);
    const again = await repository.json(["answer", run, "does-not-work", "--comment", "the button is dead"]);
    expect(again).toMatchObject({ code: 0, outcome: "success", phase: { loop: "converged", resets: 1 } });
    expect(repository.read("doer-2.txt")).toContain("the button is dead");
    expect(pageOf(repository).history[1]).toContain("RESET 1");
  });

  it("by a person's abort or pause is no failure, is committed, and is told in STATE.md", async () => {
    verifies("terminal.escalated-and-paused", "terminal.state-md", "terminal.clean-tree");
    for (const [answer, word, status, said] of [
      ["abort", "escalated", "blocked", "aborted at iter 2 (user escalated)"],
      ["adjust", "paused", "paused", "paused at iter 2 (plan adjustment)"],
    ] as const) {
      using repository = phase({ how, files: tracked });
      const { run } = await repository.json(SMALL);
      const result = await repository.json(["answer", run, answer]);
      expect(result.code).toBe(3);
      expect(pageOf(repository).front.status).toBe(word);
      expect(repository.commits()[0]).toBe(`chore(checkout): loop ${said}`);
      expect(left(repository)).toBe("");
      expect(stateOf(repository)).toEqual([
        expect.stringMatching(new RegExp(`status: ${status} \\| verdict: BLOCKED \\| .*next: .*pawl resume ${run}`)),
      ]);
      const commits = repository.commits().length;
      await repository.json(["status", run]);
      expect(repository.commits()).toHaveLength(commits);
    }
  });

  it("by the kill switch is committed with its resets and iterations, and a person is named as the next step", async () => {
    verifies("terminal.killed", "terminal.state-md", "terminal.clean-tree");
    using repository = phase({ how });
    const { run } = await repository.json(SMALL);
    await repository.json(["answer", run, "continue"]);
    const killed = await repository.json(["answer", run, "continue"]);
    expect(killed.code).toBe(1);
    expect(repository.commits()[0]).toBe("chore(checkout): loop killed after 2 resets and 4 iterations");
    expect(filesOf(repository, 0)).toContain(`${FOLDER}/LOOP.md`);
    expect(stateOf(repository)).toEqual([expect.stringMatching(/status: blocked \| .*next: human review of the plan/)]);
    // made by us, and tracked by nobody: left to the person, and no reason to call the tree dirty
    expect(left(repository)).toBe(`?? ${STATE}`);
  });
});

describe("LOOP.md", { timeout: 180_000 }, () => {
  it("is there as soon as the loop starts, with its front matter and an empty history", async () => {
    verifies("loopmd.init");
    using repository = phase({
      how,
      doer: `cat > /dev/null; cp ${FOLDER}/LOOP.md seen.md`,
      reviews: [judged("APPROVED")],
    });
    const started = await repository.pawl(["run", "phase"]);
    expect(started.err).toContain(`there is no ${STATE}; it is made at the end`);
    expect(repository.read("seen.md")).toMatch(
      /^---\nphase_slug: checkout\nphase_position: null\niter: 0\ntotal_resets: 0\nstatus: running\nmax_iter_per_round: 5\nmax_resets: 3\ncreated_at: \d{4}-\d\d-\d\dT\S+Z\n---\n\n## History\n/,
    );
  });

  it("that cannot be read is kept, and gives back no iteration and no reset", async () => {
    verifies("loopmd.corrupt");
    using repository = phase({ how });
    const { run, budgets } = await repository.json(SMALL);
    await repository.json(["answer", run, "continue"]);
    const before = pageOf(repository);
    for (const [n, broken] of ["---\niter: [\n", "no front matter at all\n"].entries()) {
      repository.write({ [`${FOLDER}/LOOP.md`]: broken });
      const result = await repository.json(["run", "phase"]);
      expect(repository.read(`${FOLDER}/LOOP.md.bak${n ? ".2" : ""}`)).toBe(broken);
      expect(pageOf(repository)).toMatchObject({ front: before.front, history: before.history });
      expect(result.budgets).toMatchObject({ resets: { spent: 2 }, iterations: budgets.iterations });
    }
  });

  it("only grows, through resets, pauses and resumes", async () => {
    verifies("loopmd.append-only");
    using repository = phase({ how });
    let { run } = await repository.json(["run", "phase", "--max-iter", "1", "--max-resets", "4"]);
    const seen = [pageOf(repository).text];
    for (const step of [
      ["answer", run, "continue"],
      ["answer", run, "adjust"],
      ["resume", run],
      ["answer", run, "abort"],
      ["run", "phase"],
    ]) {
      ({ run = run } = await repository.json(step));
      seen.push(pageOf(repository).text);
    }
    const history = seen.map((text) => text.split("## History\n\n")[1] ?? "");
    for (const [i, text] of history.slice(1).entries())
      expect(text.startsWith(history[i]?.trimEnd() ?? "?")).toBe(true);
    expect(history.at(-1)?.match(/RESUMED from (paused|escalated)/g)).toHaveLength(2);
  });
});

describe("reset-loop", { timeout: 180_000 }, () => {
  const killed = async () => {
    const repository = phase({
      how,
      keys: "max_iter: 1\nmax_resets: 1\n",
      reviews: [blocked("a"), judged("APPROVED")],
    });
    const { run } = await repository.json(["run", "phase"]);
    return { repository, run };
  };

  it("confirmed by a person keeps the old history under another name and starts afresh", async () => {
    verifies("doer.reset-loop.confirmed");
    const { repository, run } = await killed();
    using _repository = repository;
    await repository.json(["answer", run, "continue"]);
    const before = repository.read(`${FOLDER}/LOOP.md`);
    repository.write({ "agents/reviews/1.md": judged("APPROVED") });
    repository.commit("a better review");
    using terminal = Terminal.open(repository, ["reset-loop", run]);
    await terminal.shows("with full budgets?");
    terminal.keys("y");
    await terminal.shows("exit 0");
    const [kept = ""] = readdirSync(join(repository.folder, FOLDER)).filter((name) =>
      name.startsWith("LOOP.md.killed-"),
    );
    expect(kept).toMatch(/^LOOP\.md\.killed-\d{8}T\d{6}Z$/);
    expect(repository.read(`${FOLDER}/${kept}`)).toBe(before);
    expect(pageOf(repository).front).toMatchObject({ status: "converged", total_resets: "0", iter: "1" });
    expect(existsSync(join(repository.folder, FOLDER, "archive", run, `phase-${run}.json`))).toBe(true);
    expect(repository.commits()).toContain("chore(checkout): loop reset by a person");
    expect(left(repository)).toBe("");
    const { runs } = await repository.json(["list"]);
    const fresh = runs.find((each: { run: string }) => each.run !== run);
    const { journal } = await repository.json(["status", fresh.run]);
    expect(repository.events({ journal })[0].inputs.fresh_after).toBe(run);
  });

  it("is refused without a person, without their yes, and for every loop that was not killed; nothing is moved", async () => {
    verifies("doer.reset-loop.refused");
    const { repository, run } = await killed();
    using _repository = repository;
    const moved = () => readdirSync(join(repository.folder, FOLDER)).filter((name) => /killed|archive/.test(name));
    expect((await repository.json(["reset-loop", run, "--yes"])).error.code).toBe("not-ended");
    await repository.json(["answer", run, "continue"]);
    for (const args of [
      ["reset-loop", run],
      ["reset-loop", run, "--yes"],
    ]) {
      const result = await repository.json(args);
      expect([result.code, result.error.code]).toEqual([3, "needs-a-person"]);
    }
    using terminal = Terminal.open(repository, ["reset-loop", run]);
    await terminal.shows("with full budgets?");
    terminal.keys("n");
    await terminal.shows("nothing was changed");
    expect(moved()).toEqual([]);
    expect((await repository.json(["list"])).runs).toHaveLength(1);
    expect(pageOf(repository).front).toMatchObject({ status: "killed", total_resets: "1" });
    using done = phase({ how, reviews: [judged("APPROVED")] });
    const good = await done.json(["run", "phase"]);
    expect((await done.json(["reset-loop", good.run])).error.code).toBe("has-converged");
    using gone = phase({ how, keys: "max_iter: 1\n" });
    const open = await gone.json(["run", "phase"]);
    await gone.json(["abandon", open.run]);
    expect((await gone.json(["reset-loop", open.run])).error.code).toBe("not-killed");
    expect((await gone.json(["run", "phase"])).error.message).toContain("ended without approval");
  });
});
