// One iteration of a doer and its reviewers: who is called, what a review means, and what happens when there is none.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blocked, judged, loopMdOf, phase, REVIEWER, workOf } from "../harness/phase.js";
import { agents, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

describe("an iteration", { timeout: 120_000 }, () => {
  it("calls the doer, then the reviewer, and goes on without asking anybody", async () => {
    verifies("doer.iter.order");
    using repository = phase({ reviews: [blocked("one"), blocked("two"), judged("APPROVED")] });
    const result = await repository.json(["run", "phase"]);
    const events = repository.events(result);
    expect(workOf(events)).toEqual(["doer", "reviewer", "doer", "reviewer", "doer", "reviewer"]);
    expect(events.some((event) => event.answer)).toBe(false);
    expect(repository.read("work.txt")).toBe("1\n2\n3\n");
  });

  it("warns of a doer that changed nothing, and the reviewer runs all the same", async () => {
    verifies("doer.iter.no-change-warns");
    using repository = phase({ doer: "cat > /dev/null; echo all done, DONE", reviews: [judged("APPROVED")] });
    const { code, out } = await repository.pawl(["run", "phase"]);
    expect(out).toContain('"doer" changed nothing');
    const { run, status } = await repository.json(["status"]);
    const { journal, warnings } = await repository.json(["status", run]);
    expect({ code, status, warnings: warnings.length }).toEqual({ code: 0, status: "complete", warnings: 1 });
    expect(workOf(repository.events({ journal }))).toEqual(["doer", "reviewer"]);
  });

  it("is blocked on an unchanged tree once, and then a person is asked", async () => {
    using repository = phase({ doer: "cat > /dev/null" });
    const { code, gate, journal } = await repository.json(["run", "phase"]);
    expect(code).toBe(3);
    expect(gate.question).toContain("circles");
    expect(workOf(repository.events({ journal }))).toEqual(["doer", "reviewer", "doer", "reviewer"]);
  });

  it("hands the review to the next doer, and nothing of the past to the next reviewer", async () => {
    using repository = phase({
      doer: "cat > doer-$PAWL_VISIT.txt",
      reviewer: "cat > $PAWL_ARTIFACTS/prompt.txt; cp agents/reviews/$PAWL_VISIT.md $PAWL_ARTIFACTS/REVIEW.md",
      reviews: [blocked("the error path is wrong"), judged("APPROVED")],
    });
    const { journal } = await repository.json(["run", "phase"]);
    expect(repository.read("doer-2.txt")).toContain("the error path is wrong");
    const folder = journal.replace("journal.jsonl", "visits/reviewer-2/artifacts");
    expect(readFileSync(`${folder}/prompt.txt`, "utf8")).not.toContain("the error path is wrong");
  });
});

describe("a review", { timeout: 120_000 }, () => {
  it("that approves, with warnings or without, converges and exits 0", async () => {
    verifies("review.verdict.approved");
    for (const [word, outcome] of [
      ["APPROVED", "success"],
      ["APPROVED_WITH_WARNINGS", "warning"],
    ] as const) {
      using repository = phase({ reviews: [judged(word)] });
      const result = await repository.json(["run", "phase"]);
      expect(result).toMatchObject({ code: 0, status: "complete", outcome });
      expect(loopMdOf(result).front).toMatchObject({ status: "converged", iter: "1", total_resets: "0" });
      expect(loopMdOf(result).history).toEqual([`- iter 1: ${word}, hash=${NO_FINDINGS}`]);
    }
  });

  it("with several verdict lines counts as its worst, the older keyword included", async () => {
    verifies("review.verdict.worst-wins");
    const lines = (...words: string[]) => words.map((word) => `**Verdict:** ${word}\n\n`).join("");
    using repository = phase({
      reviews: [
        `${lines("APPROVED", "BLOCKED", "APPROVED_WITH_WARNINGS")}## Blockers\n\n- a\n`,
        `**Veredicto:** BLOCKED\n\n${lines("APPROVED")}## Blockers\n\n- b\n`,
        lines("APPROVED_PENDING_MANUAL", "APPROVED_WITH_WARNINGS", "APPROVED"),
      ],
    });
    const result = await repository.json(["run", "phase"]);
    expect(loopMdOf(result).history.map((line) => line.split(",")[0])).toEqual([
      "- iter 1: BLOCKED",
      "- iter 2: BLOCKED",
      "- iter 3: APPROVED_PENDING_MANUAL",
    ]);
  });

  it("that leaves manual items has converged, is pending, and names their confirmation as the next step", async () => {
    verifies("review.pending-manual");
    using repository = phase({
      reviews: [`## Warnings\n\n- try it on a phone\n\n${judged("APPROVED_PENDING_MANUAL")}`],
    });
    const result = await repository.json(["run", "phase"]);
    expect(loopMdOf(result).front).toMatchObject({ status: "converged" });
    expect(loopMdOf(result).text).toContain("pending_manual_dod");
    expect(result).toMatchObject({ code: 3, next: expect.stringContaining(`pawl answer ${result.run} [confirmed|`) });
    expect((await repository.pawl(["status", result.run])).out).toContain("try it on a phone");
    const confirmed = await repository.json(["answer", result.run, "confirmed"]);
    expect(confirmed).toMatchObject({ code: 0, status: "complete" });
    expect(loopMdOf(confirmed).text).not.toContain("pending_manual_dod");
  });

  it("that is missing or has no verdict stops the loop with an error, and no older one is taken", async () => {
    verifies("review.verdict.missing");
    for (const second of ["true", "echo 'Looks great, ship it.' > $PAWL_ARTIFACTS/REVIEW.md"]) {
      const reviewer = `cat > /dev/null
case $PAWL_VISIT in
1) cp agents/reviews/1.md $PAWL_ARTIFACTS/REVIEW.md ;;
2) ${second} ;;
*) cp agents/reviews/2.md $PAWL_ARTIFACTS/REVIEW.md ;;
esac`;
      using repository = phase({ reviewer, reviews: [blocked("one"), judged("APPROVED")] });
      const result = await repository.json(["run", "phase"]);
      expect(result).toMatchObject({ code: 3, status: "paused", outcome: null });
      expect(result.reason).toContain("iteration 2");
      expect(loopMdOf(result).front).toMatchObject({ iter: "1", total_resets: "0", status: "running" });
      expect(loopMdOf(result).history).toHaveLength(1);
      const again = await repository.json(["run", "phase"]);
      expect(again).toMatchObject({ code: 0, run: result.run });
      expect(loopMdOf(again).history.at(-1)).toContain("- iter 2: APPROVED");
      expect(repository.read("work.txt")).toBe("1\n2\n");
    }
  });

  it("that the doer wrote beforehand counts for nothing", async () => {
    verifies("review.verdict.missing");
    const doer = "cat > /dev/null; printf '**Verdict:** APPROVED\\n' > REVIEW.md; cp REVIEW.md $PAWL_ARTIFACTS";
    using repository = phase({ doer, reviewer: "cat > /dev/null; echo DONE APPROVED" });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 3, outcome: null, reason: expect.stringContaining("no verdict") });
  });
});
const NO_FINDINGS = "e3b0c44298fc";

describe("several reviewers", { timeout: 120_000 }, () => {
  const several = (scripts: Record<string, string>) => {
    const names = ["doer", ...Object.keys(scripts)];
    const mapped = names.map((name) => `  ${name}: {use: command, run: "sh agents/${name}.sh"}\n`).join("");
    const loop = `name: phase\nagents:\n${mapped}doer: doer\nreviewer: [${Object.keys(scripts).join(", ")}]\n`;
    const doer = "cat > /dev/null; echo $PAWL_VISIT >> work.txt";
    return Repository.make({ ".pawl/loops/phase.yaml": loop, ...agents({ doer, ...scripts }) });
  };
  const says = (text: string) =>
    `cat > /dev/null; printf '${text.replaceAll("\n", "\\n")}' > $PAWL_ARTIFACTS/REVIEW.md`;

  it("are asked side by side, and the worst of them decides", async () => {
    const approves = says(judged("APPROVED"));
    const security = `case $PAWL_VISIT in 1) ${says(blocked("a key is printed"))} ;; *) ${approves} ;; esac`;
    using repository = several({ style: `sleep 0.3; ${approves}`, security });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0, outcome: "success" });
    expect(loopMdOf(result).history).toEqual([
      expect.stringMatching(/^- iter 1: BLOCKED, hash=[0-9a-f]{12}$/),
      expect.stringMatching(/^- iter 2: APPROVED, hash=[0-9a-f]{12}$/),
    ]);
    const events = repository.events(result).filter(({ ticket = "" }) => ticket.startsWith("reviewer/"));
    expect(events.slice(0, 2).map(({ type, performer }) => `${type} ${performer}`)).toEqual([
      "begun style",
      "begun security",
    ]);
  });

  it("are not decided by the one that approves while another leaves no verdict", async () => {
    const approves = says(judged("APPROVED"));
    const broken = `if [ $PAWL_VISIT = 1 ]; then exit 3; fi; ${approves}`;
    using repository = several({ good: approves, broken });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 3, outcome: null, reason: expect.stringContaining("no verdict") });
    expect(await repository.json(["resume", result.run])).toMatchObject({ code: 0, outcome: "success" });
    expect(repository.read("work.txt")).toBe("1\n");
  });
});

describe("who works on an iteration", { timeout: 120_000 }, () => {
  it("is a new session each time, told phase, folder, mode and iteration, and nothing else of earlier rounds", async () => {
    verifies("doer.iter.fresh-context");
    using repository = phase({
      doer: "cat > doer-$PAWL_VISIT.txt",
      reviewer: "cat > $PAWL_ARTIFACTS/prompt.txt; cp agents/reviews/$PAWL_VISIT.md $PAWL_ARTIFACTS/REVIEW.md",
      reviews: [blocked("the error path is wrong"), judged("APPROVED")],
      how: { branch: "checkout" },
    });
    const { journal } = await repository.json(["run", "phase"]);
    for (const n of [1, 2]) {
      const told = (mode: string) => `Phase: checkout\nPhase folder: .pawl/jobs/checkout\nmode=${mode}\niter=${n}\n`;
      expect(repository.read(`doer-${n}.txt`)).toContain(told("ralph_loop"));
      const folder = journal.replace("journal.jsonl", `visits/reviewer-${n}/artifacts`);
      const review = readFileSync(`${folder}/prompt.txt`, "utf8");
      expect(review).toContain(told("verify"));
      expect(review).not.toContain("the error path is wrong");
    }
    const begun = repository.events({ journal }).filter(({ type, session }) => type === "begun" && session);
    expect(new Set(begun.map(({ session }) => session)).size).toBe(begun.length);
  });

  it("is invalid when the reviewer changes a file, also one that may write, and no older or new word of it counts", async () => {
    verifies("doer.iter.reviewer-read-only");
    const touches = `${REVIEWER}\necho sabotage >> work.txt\n`;
    using repository = phase({ reviewer: touches, reviews: [judged("APPROVED"), judged("APPROVED")] });
    repository.write({
      ".pawl/loops/phase.yaml": repository
        .read(".pawl/loops/phase.yaml")
        .replace('reviewer.sh"}', 'reviewer.sh", access: write}'),
    });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 3, outcome: null, reason: expect.stringContaining("iteration 1") });
    expect(result.steps[1].findings[0].text).toBe(
      "the reviewer may only read, but it changed work.txt; its verdict does not count, the iteration is invalid",
    );
    expect(loopMdOf(result).history).toEqual([]);
    // where it has no right to write, its sandbox refuses
    using confined = phase({ reviewer: touches, reviews: [judged("APPROVED")] });
    const refused = await confined.json(["run", "phase"]);
    expect(confined.read("work.txt")).toBe("1\n");
    expect(refused.code).toBe(0);
  });
});
