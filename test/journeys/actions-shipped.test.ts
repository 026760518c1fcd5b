// The actions Pawl ships besides the commit: what listens on a port is ended, and the programs of later steps are looked for.
import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

/** Listens on a port of its own choice; TERM is ignored where `deaf`. */
async function listener(
  mark: string,
  deaf = false,
): Promise<{ child: ChildProcess; port: number; gone: Promise<unknown> }> {
  const code = `${deaf ? 'process.on("SIGTERM", () => {});' : ""}
const server = require("node:net").createServer().listen(0, "127.0.0.1", () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ["-e", code, mark], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((done) => child.on("exit", done));
  const port = await new Promise<number>((done) => child.stdout?.on("data", (text) => done(Number(text))));
  return { child, port, gone };
}
const sweep = (params: string) => ({
  "loop.yaml": `name: loop\nsteps:\n  - {name: sweep, action: kill_listeners, params: ${params}}\n`,
});
const isAlive = ({ child }: { child: ChildProcess }) => child.exitCode === null && child.signalCode === null;

describe("kill_listeners", () => {
  it("is refused at load without a port, or with one that is none", async () => {
    verifies("action.port-sweep");
    using repository = Repository.make({
      ...sweep("{match: x}"),
      "bad.yaml": sweep('{port: "3000; rm", prot: 1}')["loop.yaml"].replace("loop", "bad"),
    });
    const none = await repository.pawl(["run", "loop.yaml"]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('kill_listeners needs the parameter "port"')]);
    const bad = await repository.pawl(["run", "bad.yaml"]);
    expect([bad.code, bad.err]).toEqual([2, expect.stringMatching(/"port" must be a number from 1 to 65535/)]);
    expect(bad.err).toContain('"prot" is no parameter of kill_listeners');
  });

  it("ends what listens on that port and nothing else, and with match only what has the text in its command line", async () => {
    verifies("action.port-sweep");
    const [one, other] = [await listener("my-server", true), await listener("my-server")];
    try {
      using repository = Repository.make(sweep(`{port: ${one.port}, match: "your-server"}`));
      const spared = await repository.json(["run", "loop.yaml"]);
      expect([spared.exit, isAlive(one), isAlive(other)]).toEqual([0, true, true]);
      repository.write(sweep(`{port: ${one.port}, match: my-server}`));
      const swept = await repository.json(["run", "loop.yaml"]);
      await one.gone;
      expect([swept.exit, isAlive(one), isAlive(other)]).toEqual([0, false, true]);
      expect(repository.events(swept).find((event) => event.type === "verdict").verdict.output).toMatch(
        new RegExp(`^ended ${one.child.pid} \\(`),
      );
      const again = await repository.json(["run", "loop.yaml"]);
      expect(repository.events(again).find((event) => event.type === "verdict").verdict.output).toBe(
        `nothing to end on port ${one.port}`,
      );
      repository.write(sweep(`{port: ${other.port}}`));
      expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
      await other.gone;
    } finally {
      one.child.kill("SIGKILL");
      other.child.kill("SIGKILL");
    }
  });
});

describe("command-check", () => {
  const check = (commands: string) =>
    `name: loop\nsteps:\n  - {name: look, action: command-check, params: {commands: ${commands}}}\n  - {name: work, command: "touch worked"}\n`;
  it("passes where every program is there, inside the sandbox, and starts none", async () => {
    using repository = Repository.make({
      "loop.yaml": check("[node, git, ./tool.sh]"),
      "tool.sh": "#!/bin/sh\ntouch ran\n",
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, repository.has("worked"), repository.has("ran")]).toEqual([0, true, false]);
  });

  it("stops as a fault that names all that are missing, before the steps that need them", async () => {
    using repository = Repository.make({
      "loop.yaml": check("[node, no-such-a, no-such-b]"),
      "bad.yaml": check('["rm -rf /"]').replace("loop", "bad"),
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.reason]).toEqual([
      4,
      expect.stringContaining('there is no "no-such-a", no "no-such-b"'),
    ]);
    expect(repository.has("worked")).toBe(false);
    const bad = await repository.pawl(["run", "bad.yaml"]);
    expect([bad.code, bad.err]).toEqual([
      2,
      expect.stringContaining('"commands" must be a list of 1 to 50 names of programs'),
    ]);
  });
});
