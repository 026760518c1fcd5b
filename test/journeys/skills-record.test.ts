// The published record of a skills run: what stands in it, when, and what never changes it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { answering, passing, recorder, report, skillsGround } from "./skills-ground.js";

const KEYS = [
  "job_id",
  "task_id",
  "loop_name",
  "status",
  "skills",
  "current_skill_index",
  "skills_completed",
  "skill_outputs",
  "validator_results",
  "outcome",
  "iteration_count",
  "timestamp",
  "updated_at",
  "schema",
  "reason",
  "head",
];

test("a record has its own name and exactly its keys", async () => {
  verifies("task.file.identity");
  const spec = "---\nticket: DM-123\nbranch: main\n---\n";
  using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" }, { files: { ".pawl/spec.md": spec } });
  const first = await repository.json(["run", "dev"]);
  const second = await repository.json(["run", "dev"]);
  expect([first.code, second.code, first.run === second.run]).toEqual([0, 0, false]);
  for (const run of [first, second]) {
    expect(run.record).toBe(join(repository.folder, ".pawl/jobs/DM-123", `dev-${run.run}.json`));
    const record = repository.record(run);
    expect(Object.keys(record)).toEqual(KEYS);
    expect(record).toMatchObject({ job_id: "DM-123", loop_name: "dev", task_id: run.run, schema: 1 });
  }
});

test("completed, paused and failed runs all leave a record, and a later run of the loop adds its own", async () => {
  verifies("task.record-always");
  using repository = skillsGround(
    {
      fine: "skills: [a]\nhuman_gate: false\n",
      bad: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: no, checks: [{name: x}]}]\nfailure_handling: fail\n",
      gated: "skills: [a]\n",
    },
    { files: { "validators/no.sh": answering(report({ x: false })) } },
  );
  const runs = [];
  for (const loop of ["fine", "bad", "fine"]) runs.push(await repository.json(["run", loop]));
  const texts = runs.map((run) => readFileSync(run.record, "utf8"));
  runs.push(await repository.json(["run", "gated"]));
  expect(runs.map((run) => repository.record(run).status)).toEqual(["complete", "failed", "complete", "paused"]);
  expect(runs.slice(0, 3).map((run) => readFileSync(run.record, "utf8"))).toEqual(texts);
  expect(new Set(runs.map((run) => run.record)).size).toBe(4);
});

test("while it stands at the gate after its first skill, the record says so and knows one output", async () => {
  verifies("task.field.skills", "task.field.skill-outputs", "gate.skills.on-and-off");
  using repository = skillsGround({ dev: "skills: [a, b]\n" });
  const first = await repository.json(["run", "dev"]);
  expect([first.code, first.status]).toEqual([3, "paused"]);
  const record = repository.record(first);
  expect(record).toMatchObject({
    status: "paused",
    skills: ["a", "b"],
    current_skill_index: 1,
    skills_completed: ["a"],
    outcome: null,
  });
  expect(record.skill_outputs).toEqual({ a: "output of a, visit 1" });

  repository.write({ ".pawl/loops/dev.yaml": "name: dev\nskills: [c, b, a]\nhuman_gate: false\n" });
  const after = await repository.json(["answer", first.run, "continue"]);
  const last = repository.record(after);
  expect(last).toMatchObject({
    status: "paused",
    skills: ["a", "b"],
    current_skill_index: 2,
    skills_completed: ["a", "b"],
  });
  expect(last.skill_outputs).toEqual({ a: "output of a, visit 1", b: "output of b, visit 1" });
  const end = await repository.json(["answer", first.run, "continue"]);
  expect(repository.record(end)).toMatchObject({ status: "complete", skills: ["a", "b"], current_skill_index: 2 });
});

test("the start stands still and every writing has its own moment", async () => {
  verifies("task.field.timestamps");
  using repository = skillsGround({ dev: "skills: [a]\n" });
  const run = await repository.json(["run", "dev"]);
  const before = repository.record(run);
  const after = repository.record(await repository.json(["answer", run.run, "continue"]));
  expect(after.timestamp).toBe(before.timestamp);
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  const [started] = repository.events(run);
  expect(after.timestamp).toBe(started.at);
});

test("outcome is empty until the validators have ended, and the results hold every message and check", async () => {
  verifies("task.field.results-and-outcome", "state.audit", "state.transitions");
  const validators =
    "[{tool: look, checks: [{name: x}, {name: y, required: false}]}, {tool: again, checks: [{name: z}]}]";
  const answer = { ...report({ x: true, y: false }, "y is thin"), pass: true };
  using repository = skillsGround(
    { dev: `skills: [a]\nhuman_gate: false\nvalidators: ${validators}\n` },
    {
      files: {
        "validators/look.sh": answering(answer, 'cp ".pawl/jobs/main/$PAWL_LOOP-$PAWL_RUN.json" seen.json'),
        "validators/again.sh": passing("z"),
      },
    },
  );
  const { program, seen } = recorder(repository);
  const run = await repository.json(["run", "dev"], program);
  const during = JSON.parse(repository.read("seen.json"));
  expect(during).toMatchObject({ status: "validating", outcome: null, validator_results: {}, skills_completed: ["a"] });
  const record = repository.record(run);
  expect(record.outcome).toBe("warning");
  expect(record.validator_results).toMatchObject({
    look: {
      pass: true,
      message: "y is thin",
      checks: [
        { name: "x", pass: true },
        { name: "y", pass: false },
      ],
    },
    again: { message: "", checks: [{ name: "z", pass: true }] },
  });
  const told = readFileSync(seen, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(steps(told.map(({ status }) => status))).toEqual(["pending", "running", "validating", "complete"]);
  expect(told.filter(({ status }) => status !== "complete").every(({ outcome }) => outcome === null)).toBe(true);
});

test("a run that repeats goes through iterating, counts its rounds, and shows none of the round before", async () => {
  verifies("task.field.iteration-count", "iterate.unmet", "iterate.met", "state.transitions");
  const agent = `
cp ".pawl/jobs/main/$PAWL_LOOP-$PAWL_RUN.json" "seen-$PAWL_STEP-$PAWL_VISIT.json"
echo "output of $PAWL_STEP, visit $PAWL_VISIT"
[ "$PAWL_STEP" = b ] && sed -i '0,/\\[ \\]/s//[x]/' .pawl/tasks.md; true`;
  using repository = skillsGround(
    {
      dev: "skills: [a, b]\nhuman_gate: false\nrepeat_until: all_phases_complete\nvalidators: [{tool: ok, checks: [{name: x}]}]\n",
    },
    { agent, files: { ".pawl/tasks.md": "- [ ] one\n- [ ] two\n- [ ] three\n", "validators/ok.sh": passing("x") } },
  );
  const { program, seen } = recorder(repository);
  const run = await repository.json(["run", "dev"], program);
  expect([run.code, run.status]).toEqual([0, "complete"]);
  expect(repository.record(run)).toMatchObject({ iteration_count: 2, outcome: "success" });
  const told = readFileSync(seen, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const round = ["running", "validating"];
  expect(steps(told.map(({ status }) => status))).toEqual([
    "pending",
    ...round,
    "iterating",
    ...round,
    "iterating",
    ...round,
    "complete",
  ]);
  for (const each of told.filter(({ status }) => status === "iterating"))
    expect(each).toMatchObject({ at: 0, outcome: null });
  const second = JSON.parse(repository.read("seen-a-2.json"));
  expect(second).toMatchObject({
    status: "running",
    iteration_count: 1,
    current_skill_index: 0,
    skills_completed: [],
    skill_outputs: {},
    validator_results: {},
  });
  const records = readdirSync(dirname(run.record)).filter(
    (name) => name.endsWith(".json") && !name.endsWith(".flow.json"),
  );
  expect(records).toHaveLength(1);
});

test("no pointer file exists, and the folder of jobs is not ignored by git", async () => {
  verifies("state.plain-files", "active.by-scan");
  using repository = skillsGround({ dev: "skills: [a, b]\n" });
  const ended = await repository.json(["run", "dev"]);
  await repository.json(["abandon", ended.run]);
  const before = readFileSync(ended.record, "utf8");
  const open = await repository.json(["run", "dev"]);
  expect((await repository.json(["status"])).run).toBe(open.run);
  await repository.json(["stop", open.run]);
  const resumed = await repository.json(["resume"]);
  expect(resumed.run).toBe(open.run);
  expect(readFileSync(ended.record, "utf8")).toBe(before);
  expect(existsSync(join(repository.folder, ".pawl/loop-state.json"))).toBe(false);
  expect(() => repository.git("check-ignore", open.record)).toThrow();
  expect(JSON.parse(readFileSync(open.record, "utf8")).task_id).toBe(open.run);
});

const steps = (words: string[]): string[] => words.filter((word, i) => word !== words[i - 1]);
