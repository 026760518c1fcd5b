// A loop as a step of another: its gate is answered by its own id, and what waits for it goes on afterwards.
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";
import { until } from "../harness/until.js";

const OUTER = `name: outer
steps:
  - {name: before, command: "echo before >> log.txt"}
  - {name: part, loop: inner}
  - {name: after, command: "echo after >> log.txt"}
`;
const make = (inner: string, outer = OUTER) =>
  Repository.make({ ".pawl/loops/outer.yaml": outer, ".pawl/loops/inner.yaml": `name: inner\nsteps:\n${inner}` });
const GATED = `  - {name: work, command: "echo inner >> log.txt"}
  - {name: look, gate: "Is the part good?"}
`;

describe("a loop as a step", { timeout: 120_000 }, () => {
  it("rests at the gate of the inner run, and the outer one says which and what to type", async () => {
    using repository = make(GATED);
    const outer = await repository.json(["run", "outer"]);
    expect(outer).toMatchObject({
      code: 3,
      loop: "outer",
      status: "paused",
      reason: expect.stringContaining("Is the part good?"),
    });
    const [, inner = ""] = /^pawl answer (inner-\w+) /.exec(outer.next) ?? [];
    expect(inner).not.toBe("");
    expect(await repository.json(["status", outer.run])).toMatchObject({ next: outer.next });
    const refused = await repository.json(["answer", outer.run, "approve"]);
    expect(refused).toMatchObject({ code: 3, error: { code: "no-question", hint: outer.next } });
    const result = await repository.json(["answer", inner, "approve"]);
    expect(result).toMatchObject({ code: 0, loop: "outer", run: outer.run, outcome: "success" });
    expect(repository.read("log.txt")).toBe("before\ninner\nafter\n");
  });

  it("that fails takes the failing way of its step", async () => {
    using repository = make(GATED, OUTER.replace("loop: inner}", "loop: inner, on_fail: after}"));
    const { next } = await repository.json(["run", "outer"]);
    const result = await repository.json(["answer", next.split(" ")[2], "reject"]);
    expect(result).toMatchObject({ code: 0, loop: "outer" });
    expect(result.steps[1]).toMatchObject({
      verdict: "block",
      findings: [{ text: expect.stringContaining('loop "inner"') }],
    });
  });

  it("goes on where it was when Pawl is killed in the middle of it", async () => {
    using repository = make(`  - {name: one, command: "echo one >> log.txt"}
  - {name: two, command: "echo two >> log.txt; if [ ! -e hung ]; then touch hung; sleep 60; fi"}
`);
    const child = repository.start(["run", "outer"]);
    const gone = new Promise((done) => child.on("close", done));
    await until(() => repository.has("hung"), "the inner loop works");
    child.kill("SIGKILL");
    await gone;
    expect(await repository.json(["resume"])).toMatchObject({ code: 0, loop: "outer", outcome: "success" });
    expect(repository.read("log.txt")).toBe("before\none\ntwo\ntwo\nafter\n");
    expect((await repository.json(["list"])).runs).toHaveLength(2);
  });

  it("is stopped with the outer run and resumed with it", async () => {
    using repository = make(`  - {name: one, command: "if [ ! -e hung ]; then touch hung; sleep 60; fi"}\n`);
    const child = repository.start(["run", "outer", "--json"]);
    const gone = new Promise((done) => child.on("close", done));
    await until(() => repository.has("hung"), "the inner loop works");
    const outer = (await repository.json(["list"])).runs.find((run: { loop: string }) => run.loop === "outer").run;
    expect((await repository.pawl(["stop", outer, "--reason", "lunch"])).code).toBe(0);
    expect(await gone).toBe(3);
    expect(await repository.json(["status", outer])).toMatchObject({ status: "paused", reason: "lunch" });
    expect(await repository.json(["resume", outer])).toMatchObject({ code: 0, loop: "outer" });
  });
});
