import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filterFor, type Processor } from "./seccomp.js";
import { ALL, DENIED } from "./seccomp-table.js";

const ALLOW = 0x7fff0000;
const fails = (errno: number) => 0x00050000 | errno;
const EPERM = fails(1);
const ENOSYS = fails(38);
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What the kernel does with the program. */
function ask(processor: Processor, number: number, args: bigint[] = [], audit = AUDIT[processor]): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [i, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * i);
  const program = filterFor(processor);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else at += 8 * program.readUInt8(at + (holds(code, loaded, value) ? 2 : 3));
  }
  throw new Error("ran off the end");
}
function holds(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value;
  if (code === 0x35) return loaded >= value;
  return (loaded & value) !== 0;
}

it.each(["x64", "arm64"] as const)(
  "denies every call of the table on %s, and lets ordinary ones through",
  (processor) => {
    const column = processor === "x64" ? 0 : 1;
    for (const numbers of Object.values(DENIED))
      if (numbers[column] !== null) expect(ask(processor, numbers[column])).toBe(EPERM);
    for (const number of processor === "x64" ? [0, 1, 39, 59] : [63, 64, 172, 221])
      expect(ask(processor, number)).toBe(ALLOW);
  },
);
it("kills other architectures and refuses x32", () => {
  expect(ask("x64", 20, [], 0x40000003)).toBe(0x80000000);
  expect(ask("x64", 0x40000000 | 39)).toBe(ENOSYS);
});
it("looks at the low half of an argument only, as the kernel does", () => {
  expect(ask("x64", 41, [40n])).toBe(fails(97)); // AF_VSOCK
  expect(ask("x64", 41, [(1n << 32n) + 40n])).toBe(fails(97));
  expect(ask("x64", 41, [1n])).toBe(ALLOW);
  expect(ask("x64", 16, [0n, (1n << 32n) + 0x5412n])).toBe(EPERM); // TIOCSTI
});
it("lets processes be made and namespaces not", () => {
  expect(ask("x64", 56, [17n])).toBe(ALLOW);
  expect(ask("x64", 56, [0x10000000n | 17n])).toBe(EPERM);
  expect(ask("x64", 435)).toBe(ENOSYS); // clone3: its flags cannot be seen
});
it("lets no setuid bit be made, by whatever call, and setgid be", () => {
  for (const args of [
    [90, 0n, 0o4755n],
    [268, 0n, 0n, 0o4755n],
    [2, 0n, 0x41n, 0o4755n],
    [257, 0n, 0n, 0x41n, 0o4755n],
  ] as const)
    expect(ask("x64", args[0], args.slice(1).map(BigInt))).toBe(EPERM);
  expect(ask("x64", 90, [0n, 0o2755n])).toBe(ALLOW);
  expect(ask("x64", 2, [0n, 0n, 0o4755n])).toBe(ALLOW); // creates nothing: the mode is left-over
});

const HEADERS = [
  { file: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", column: 0, line: /^#define __NR_(\w+)\s+(\d+)/gm },
  { file: "/usr/include/asm-generic/unistd.h", column: 1, line: /^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm },
] as const;
it.each(HEADERS)("has the numbers of $file", ({ file, column, line }) => {
  if (!existsSync(file)) return; // Debian: linux-libc-dev
  const theirs = new Map(
    [...readFileSync(file, "utf8").matchAll(line)].map(([, name = "", number]) => [
      name.replace(/^3264_/, ""),
      Number(number),
    ]),
  );
  for (const [name, numbers] of Object.entries(ALL))
    if (theirs.has(name)) expect([name, numbers[column]]).toEqual([name, theirs.get(name)]);
  expect(theirs.size).toBeGreaterThan(250);
});
