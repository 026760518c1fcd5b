// For the benchmark: the strict profile spawned by itself, with nothing of a run around it.
import { Bubblewrap } from "../../src/adapters/sandbox/bubblewrap/engine.js";
import { readSignposts } from "../../src/adapters/sandbox/signposts.js";
import { usualIsolation } from "../../src/config/schema/isolation.js";

/** Milliseconds for `times` starts of `true`, one after the other. */
export async function spawnStrict(workspace: string, state: string, artifacts: string, times: number): Promise<number> {
  const engine = new Bubblewrap();
  const plan = {
    run: "bench",
    visit: "1",
    workspace,
    access: "write" as const,
    signposts: readSignposts(workspace),
    state,
    artifacts,
    earlier: [],
    protect: [],
    readable: [],
    isolation: usualIsolation(),
  };
  const began = performance.now();
  for (let i = 0; i < times; i++) {
    const session = await engine.open(plan, new AbortController().signal);
    const child = await session.start({
      argv: ["sh", "-c", "true"],
      cwd: workspace,
      env: {},
      timeoutMs: 60_000,
      graceMs: 1_000,
    });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.end();
    const outcome = await child.ended;
    if (outcome.end !== "exit" || outcome.code !== 0) throw new Error(JSON.stringify(outcome));
    await session[Symbol.asyncDispose]();
  }
  return performance.now() - began;
}
