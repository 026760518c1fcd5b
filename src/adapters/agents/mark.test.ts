import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { marked, sweep } from "./mark.js";

const started = (script: string, env: Record<string, string>): ChildProcess =>
  spawn("sh", ["-c", script], { env: { PATH: process.env.PATH ?? "", ...env }, stdio: "ignore", detached: true });

async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; look < 400 && !holds(); look++) await new Promise((done) => setTimeout(done, 25));
  expect(holds()).toBe(true);
}

test("ends what carries the mark, in whatever session and deaf to TERM, and its children without it", async () => {
  const run = randomUUID();
  started("trap '' TERM; setsid sh -c 'trap \"\" TERM; env -i sleep 600' & sleep 600", { PAWL_RUN: run });
  await until(() => marked({ PAWL_RUN: run }).length === 4);
  expect(await sweep({ PAWL_RUN: run })).toEqual([]);
  expect(marked({ PAWL_RUN: run })).toEqual([]);
});

test("leaves another run alone, though its id begins the same, and another turn of this run", async () => {
  const run = randomUUID();
  const child = started("sleep 600", { PAWL_RUN: `${run}-2`, PAWL_TURN: "b" });
  await until(() => marked({ PAWL_RUN: `${run}-2` }).length > 0);
  await sweep({ PAWL_RUN: run });
  await sweep({ PAWL_RUN: `${run}-2`, PAWL_TURN: "a" });
  expect(child.exitCode ?? child.signalCode).toBeNull();
  await sweep({ PAWL_RUN: `${run}-2` });
});

test("spares itself and its ancestors", async () => {
  const [name, value] = Object.entries(process.env).find(([name]) => name === "PATH") ?? ["", ""];
  expect(marked({ [name]: value ?? "" }).map((one) => one.pid)).not.toContain(process.pid);
  expect(marked({ [name]: value ?? "" }).map((one) => one.pid)).not.toContain(process.ppid);
});

test("a mark without entries is refused: it would be everybody's", () => {
  expect(() => marked({})).toThrow("everybody");
});
