import { appendFileSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { appendMany, frozen, RUN, remark, started, tempFolder } from "../../../test/durability/fixture.js";
import { JOURNAL_LINE_BYTES_MAX } from "../../core/limits.js";
import { FaultError } from "../../ports/errors.js";
import { digestOf, headOf, NO_LINE } from "./chain.js";
import { JOURNAL_BYTES_MAX } from "./journal.js";
import { type FileStore, openStore } from "./store.js";

const base = tempFolder();
let store: FileStore;
let path: string;
beforeEach(async () => {
  store = openStore({ home: mkdtempSync(join(base, "home-")) });
  await store.create(frozen());
  path = join(store.runFolder(RUN), "journal.jsonl");
});
const write = async (to: number, from = 1) => {
  await using open = await store.open(RUN);
  await appendMany(open, from, to);
};
const linesOf = () => readFileSync(path, "utf8").trimEnd().split("\n");
const put = (lines: string[]) => writeFileSync(path, `${lines.join("\n")}\n`);
async function faultOf(asked: Promise<unknown>): Promise<FaultError> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof FaultError) return error;
  throw new Error(`no fault: ${error}`);
}

describe("a journal", () => {
  it("holds one line per event, each with the digest of the line before and the place it led to", async () => {
    await write(3);
    const [first = "", second = ""] = linesOf();
    expect(JSON.parse(first)).toEqual({ ...started(), place: "work plan", prev: NO_LINE });
    expect(JSON.parse(second).prev).toBe(digestOf(first));
  });

  it("tells the digest of its last line, the same from the file and from what was read", async () => {
    await using open = await store.open(RUN);
    expect(open.head).toBe(NO_LINE);
    const line = await open.append(started(), "x");
    expect(open.head).toBe(digestOf(linesOf()[0] ?? ""));
    expect(headOf(line)).toBe(open.head);
    expect(headOf((await store.read(RUN))[0]!)).toBe(open.head);
  });

  it("keeps the order of events that are appended at once", async () => {
    await using open = await store.open(RUN);
    await Promise.all([1, 2, 3, 4, 5].map((seq) => open.append(seq === 1 ? started() : remark(seq), "x")));
    expect((await store.read(RUN)).map((line) => line.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it("refuses an event out of turn and goes on", async () => {
    await using open = await store.open(RUN);
    await expect(open.append(remark(2), "x")).rejects.toThrow(/does not follow/);
    await open.append(started(), "x");
    await expect(open.append(remark(1), "x")).rejects.toThrow(/does not follow/);
    expect(linesOf()).toHaveLength(1);
  });

  it("is followed from any line on", async () => {
    await write(9);
    expect((await store.read(RUN, 7)).map((line) => line.seq)).toEqual([8, 9]);
    expect(await store.read(RUN, 9)).toEqual([]);
    expect(await store.read(RUN, 99)).toEqual([]);
  });

  it("takes a line of the largest size and none larger", async () => {
    await using open = await store.open(RUN);
    await open.append(started(), "x");
    const rest = Buffer.byteLength(`${JSON.stringify({ ...remark(2, ""), place: "x", prev: NO_LINE })}\n`);
    await expect(open.append(remark(2, "é".repeat(JOURNAL_LINE_BYTES_MAX / 2)), "x")).rejects.toThrow(
      /would be longer than 4194304 bytes/,
    );
    await open.append(remark(2, "a".repeat(JOURNAL_LINE_BYTES_MAX - rest)), "x");
    await open.append(remark(3), "x");
    expect(await store.read(RUN)).toHaveLength(3);
  });

  it("is not read when it is larger than any journal may be", async () => {
    truncateSync(path, JOURNAL_BYTES_MAX + 1);
    expect((await faultOf(store.read(RUN))).record.code).toBe("journal-broken");
  });

  it("reads names like __proto__ as plain data", async () => {
    {
      await using open = await store.open(RUN);
      const data = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": {"$type": "Date"}}');
      await open.append({ ...started() }, "x");
      await open.append({ ...remark(2), data } as ReturnType<typeof remark>, "x");
    }
    const line = (await store.read(RUN))[1] as unknown as { data: object };
    expect(Object.keys(line.data)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(line.data)).toBe(Object.prototype);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    await using again = await store.open(RUN);
    await again.append(remark(3), "x");
  });

  it("keeps any text whole: separators, surrogates, control characters", async () => {
    const texts = ["\u2028\u2029", "\ud800", "a\u0000b\nc", "🦀", '"\\'];
    {
      await using open = await store.open(RUN);
      await open.append(started(), "x");
      for (const [index, text] of texts.entries()) await open.append(remark(index + 2, text), "x");
    }
    const read = (await store.read(RUN, 1)) as unknown as { text: string }[];
    expect(read.map((line) => line.text)).toEqual(texts);
  });

  it("does not depend on the digits of a number", async () => {
    await write(12);
    expect((await store.read(RUN, 9)).map((line) => line.seq)).toEqual([10, 11, 12]);
    await write(101, 13);
    expect((await store.read(RUN)).map((line) => line.seq)).toEqual(
      Array.from({ length: 101 }, (_, index) => index + 1),
    );
  });
});

describe("a torn end", () => {
  it("is cut at opening, at whatever byte it broke, and left alone by readers", async () => {
    await write(4);
    const whole = readFileSync(path);
    const last = whole.lastIndexOf("\n", whole.length - 2) + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: last, max: whole.length - 1 }), async (length) => {
        writeFileSync(path, whole.subarray(0, length));
        expect(await store.read(RUN)).toHaveLength(3);
        expect(readFileSync(path)).toHaveLength(length);
        await using open = await store.open(RUN);
        expect(open.lines).toHaveLength(3);
        expect(open.remarks.map(({ about }) => about)).toEqual(length === last ? [] : ["journal"]);
        await open.append(remark(4), "work plan");
        expect(readFileSync(path)).toEqual(whole);
      }),
      {
        numRuns: whole.length - last,
        examples: Array.from({ length: whole.length - last }, (_, index) => [last + index]) as [number][],
      },
    );
  });

  it("may be blocks of zeros, with or without an end of line", async () => {
    await write(2);
    const whole = readFileSync(path);
    for (const tail of ["\0\0\0\0", '\0\0\0"}\n']) {
      writeFileSync(path, whole);
      appendFileSync(path, tail);
      await using open = await store.open(RUN);
      expect(open.lines).toHaveLength(2);
      expect(readFileSync(path)).toEqual(whole);
    }
  });

  it("may be the whole journal", async () => {
    writeFileSync(path, '{"seq":1');
    await write(1);
    expect(linesOf()).toHaveLength(1);
  });
});

describe("a journal changed by hand", () => {
  const cases: [string, (lines: string[]) => string[], number, RegExp][] = [
    [
      "an edited line",
      (lines) => lines.with(1, lines[1]!.replace("remark 2", "remark Z")),
      2,
      /has the digest \w{12}, but line 3/,
    ],
    ["an edited first line", (lines) => lines.with(0, lines[0]!.replace("main", "mine")), 1, /has the digest/],
    ["a removed line", (lines) => lines.toSpliced(2, 1), 3, /carries the number 4 where 3 is due/],
    ["a removed first line", (lines) => lines.slice(1), 1, /carries the number 2 where 1 is due/],
    ["an added line", (lines) => lines.toSpliced(2, 0, lines[1]!), 3, /carries the number 2 where 3 is due/],
    ["two lines exchanged", (lines) => [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)], 2, /carries the number 3/],
    ["a line that is no JSON", (lines) => lines.with(1, "{nonsense}"), 2, /is no JSON object/],
    ["a line that is a list", (lines) => lines.with(1, "[]"), 2, /is no JSON object/],
    ["an empty line", (lines) => lines.toSpliced(1, 0, ""), 2, /is no JSON object/],
    ["a first line of another journal", (lines) => [lines[1]!.replace('"seq":2', '"seq":1')], 1, /is not the first/],
    ["a line without a place", (lines) => [lines[0]!.replace('"place"', '"plaice"')], 1, /has no text "place"/],
  ];
  it.each(cases)("%s is named, and what to do", async (_, change, number, what) => {
    await write(5);
    put(change(linesOf()));
    for (const asked of [() => store.read(RUN), () => store.open(RUN)]) {
      const { record } = await faultOf(asked());
      expect(record.code).toBe("journal-broken");
      expect(record.message).toMatch(what);
      expect(record.message).toContain(`${path}:${number} `);
      expect(record.hint).toMatch(/bring it back from a copy/);
    }
    expect(await store.holder(RUN)).toBeUndefined();
  });

  it("is noticed under an open run, before lines are mixed", async () => {
    await using open = await store.open(RUN);
    await open.append(started(), "x");
    appendFileSync(path, "somebody else\n");
    expect((await faultOf(open.append(remark(2), "x"))).record.code).toBe("journal-broken");
    expect(linesOf()).toHaveLength(2);
  });
});
