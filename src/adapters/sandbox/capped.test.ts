import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readCapped } from "./capped.js";

const stream = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it("keeps what fits to the last byte", async () => {
  expect(await readCapped(stream("abc", "def"), 6)).toEqual({ text: "abcdef", droppedBytes: 0 });
});
it("marks what was cut, and reads on to the end", async () => {
  expect(await readCapped(stream("abc", "def", "ghi"), 5)).toEqual({
    text: "abcde\n[cut: 4 more bytes]\n",
    droppedBytes: 4,
  });
});
it("takes a broken pipe for the end", async () => {
  const broken = stream("abc");
  const reading = readCapped(broken);
  broken.destroy(new Error("broken"));
  expect((await reading).droppedBytes).toBe(0);
});
