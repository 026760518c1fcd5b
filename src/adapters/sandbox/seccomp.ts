// Turns the table of system calls into the program that `bwrap --seccomp FD` loads (classic BPF).
import {
  ABSENT,
  CLONE,
  CLONE_NEW,
  CREATES,
  DENIED,
  FAMILIES,
  IOCTL,
  MODES,
  type Numbers,
  OPENS,
  SET_UID,
  SOCKET,
  TERMINAL_REQUESTS,
} from "./seccomp-table.js";

const PROCESSORS = {
  x64: { column: 0, audit: 0xc000003e },
  arm64: { column: 1, audit: 0xc00000b7 },
} as const;
export type Processor = keyof typeof PROCESSORS;

export function isProcessor(name: string): name is Processor {
  return Object.hasOwn(PROCESSORS, name);
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** The whole filter for one processor. Other architectures are killed, x32 is refused. */
export function filterFor(processor: Processor): Buffer {
  const { column, audit } = PROCESSORS[processor];
  const program = new Program();
  const numberOf = (numbers: Numbers) => numbers[column];
  program.killUnlessArchitecture(audit);
  if (processor === "x64") program.failFrom(0x40000000, ENOSYS); // x32
  for (const numbers of Object.values(ABSENT)) program.fail(numberOf(numbers), ENOSYS);
  program.onCall(numberOf(CLONE), () => program.failIfBits(0, CLONE_NEW));
  program.onCall(numberOf(SOCKET), () => program.failUnless(0, FAMILIES, EAFNOSUPPORT));
  program.onCall(numberOf(IOCTL), () => program.failIfOneOf(1, TERMINAL_REQUESTS));
  for (const { numbers, mode } of Object.values(MODES))
    program.onCall(numberOf(numbers), () => program.failIfBits(mode, SET_UID));
  for (const { numbers, flags } of Object.values(OPENS))
    program.onCall(numberOf(numbers), () => program.failIfBitsBoth(flags, CREATES, SET_UID));
  for (const numbers of Object.values(DENIED)) program.fail(numberOf(numbers), EPERM);
  return program.finish();
}

// Operations of classic BPF, and the answers of seccomp.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (code: number) => 0x00050000 | code;
// Where the kernel puts what. The low half of an argument: of an int the kernel ignores the high half, so must we.
const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

interface Instruction {
  code: number;
  yes: number;
  no: number;
  value: number;
}

/** Between its methods the call's number is loaded. */
class Program {
  private readonly instructions: Instruction[] = [];

  private add(code: number, value: number, yes = 0, no = 0): Instruction {
    const instruction = { code, yes, no, value: value >>> 0 };
    this.instructions.push(instruction);
    return instruction;
  }
  killUnlessArchitecture(audit: number) {
    this.add(LOAD, AT_ARCHITECTURE);
    this.add(IF_EQUAL, audit, 1, 0);
    this.add(RETURN, KILL);
    this.add(LOAD, AT_NUMBER);
  }
  failFrom(number: number, code: number) {
    this.add(IF_AT_LEAST, number, 0, 1);
    this.add(RETURN, errno(code));
  }
  fail(number: number | null, code: number) {
    if (number === null) return;
    this.add(IF_EQUAL, number, 0, 1);
    this.add(RETURN, errno(code));
  }
  /** Skips `body` unless the call is `number`. Jumps are 8 bits, hence one block a call. */
  onCall(number: number | null, body: () => void) {
    if (number === null) return;
    const test = this.add(IF_EQUAL, number);
    const first = this.instructions.length;
    body();
    this.add(LOAD, AT_NUMBER);
    test.no = this.instructions.length - first;
  }
  failIfBits(index: number, bits: number) {
    this.add(LOAD, argument(index));
    this.add(IF_ANY_BIT, bits, 0, 1);
    this.add(RETURN, errno(EPERM));
  }
  /** For bits of an argument that count only with others in the argument before it. */
  failIfBitsBoth(index: number, bits: number, nextBits: number) {
    this.add(LOAD, argument(index));
    this.add(IF_ANY_BIT, bits, 0, 3);
    this.failIfBits(index + 1, nextBits);
  }
  failIfOneOf(index: number, values: number[]) {
    this.add(LOAD, argument(index));
    for (const value of values) this.fail(value, EPERM);
  }
  failUnless(index: number, values: number[], code: number) {
    this.add(LOAD, argument(index));
    values.forEach((value, i) => {
      this.add(IF_EQUAL, value, values.length - i, 0);
    });
    this.add(RETURN, errno(code));
  }
  finish(): Buffer {
    this.add(RETURN, ALLOW);
    const bytes = Buffer.alloc(this.instructions.length * 8);
    this.instructions.forEach(({ code, yes, no, value }, i) => {
      bytes.writeUInt16LE(code, i * 8);
      bytes.writeUInt8(yes, i * 8 + 2);
      bytes.writeUInt8(no, i * 8 + 3);
      bytes.writeUInt32LE(value, i * 8 + 4);
    });
    return bytes;
  }
}
