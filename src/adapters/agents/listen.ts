// Listens to a program of a sandbox for steps that are no agent: one console log, the end of it, and its stdout whole.
import { StringDecoder } from "node:string_decoder";
import { STREAM_BYTES_MAX } from "../../core/limits.js";
import type { Listen } from "../../ports/listen.js";
import { Lines } from "./lines.js";
import { Log } from "./log.js";
import { drained, feed, pump } from "./pump.js";
import { printable, Tail } from "./text.js";

export const listen: Listen = async (child, { stdin, log, onLine, mask }) => {
  const startedAt = performance.now();
  const tail = new Tail();
  const errors = new Tail();
  const console = new Log(log);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  const hear = (also?: Tail) =>
    new Lines((line) => {
      const shown = mask(printable(line));
      tail.push(shown);
      also?.push(shown);
      console.writeLine(shown);
      onLine(shown);
    });
  const out = hear();
  const err = hear(errors);
  const pumps = [
    pump(child.stdout, (chunk) => {
      const part = chunk.subarray(0, STREAM_BYTES_MAX - keptBytes);
      keptBytes += part.length;
      if (part.length) kept.push(part);
      out.push(chunk);
    }),
    pump(child.stderr, (chunk) => err.push(chunk)),
  ];
  feed(child.stdin, stdin);
  const outcome = await child.ended;
  await drained(pumps);
  out.end();
  err.end();
  console.close();
  const stdout = new StringDecoder("utf8").write(Buffer.concat(kept));
  return {
    outcome,
    tail: String(tail),
    stdout,
    stderrTail: String(errors),
    ms: Math.round(performance.now() - startedAt),
  };
};
