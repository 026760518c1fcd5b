// Text to plain data that remembers where each key stood. The text is hostile: whatever it is, the answer is data or issues,
// in bounded time and memory. Values are null-prototype maps, lists, texts, numbers, true, false and null.
import { Composer, type Document, Lexer, Parser } from "yaml";
import { LOOP_FILE_BYTES_MAX } from "../../core/limits.js";
import type { Issue, IssueCode } from "../issues.js";
import { clean } from "../suggest.js";
import type { Place, Positions } from "./file.js";
import { type Complain, type Root, walk, YAML_DEPTH_MAX } from "./walk.js";

/** Lexical tokens of one file: a loop of 1,000 full steps has about 80,000. */
export const YAML_TOKENS_MAX = 200_000;
/** Complaints about one file; whoever has more begins with the first hundred. */
export const ISSUES_MAX = 100;

export interface Source extends Positions {
  /** Undefined: nothing in the text can be used, and `issues` says why. */
  data: { [key: string]: unknown } | undefined;
  issues: Issue[];
}

/** `required`: what to write into a file that holds nothing; undefined: such a file is as good as an empty map. */
export function readSource(given: string, path: string, required?: string): Source {
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given;
  const issues: Issue[] = [];
  const starts = lineStarts(text);
  const placeOf = (offset: number) => place(starts, offset);
  const complain = (offset: number, code: IssueCode, message: string) => {
    if (issues.length < ISSUES_MAX) issues.push({ code, path, ...placeOf(offset), message, severity: "error" });
  };
  const root = isTooLarge(text) ? refuseSize(complain) : readDocument(text, complain, required);
  return {
    data: root?.data,
    issues,
    at: (where) => placeOf(root?.offsetOf(where) ?? 0),
    wrote: (where) => root?.wrote(where) ?? false,
  };
}

function readDocument(text: string, complain: Complain, required?: string): Root | undefined {
  const documents = compose(text, complain);
  const [document, second] = documents ?? [];
  if (!document || !isSound(document, complain)) return undefined;
  if (second) {
    complain(second.range[0], "yaml-feature", "a second document begins here; a file holds one");
    return undefined;
  }
  return walk(document, complain, required);
}

/** At most two documents; undefined when the text is given up, with the reason told. */
function compose(text: string, complain: Complain): Document.Parsed[] | undefined {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const tokens = new Tokens(text, complain);
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokens.read(), true, text.length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  return tokens.isRefused ? undefined : documents;
}

/** The tokens of a text, so long as they stay within what a parser can take in a moment. */
class Tokens {
  isRefused = false;
  constructor(
    private readonly text: string,
    private readonly complain: Complain,
  ) {}

  *read() {
    const parser = new Parser();
    let count = 0;
    let depth = 0;
    for (const lexeme of new Lexer().lex(this.text)) {
      depth += Number(lexeme === "[" || lexeme === "{") - Number(lexeme === "]" || lexeme === "}");
      if (++count > YAML_TOKENS_MAX)
        return this.refuse(
          parser.offset,
          "file-too-large",
          `the file has more than ${YAML_TOKENS_MAX} marks and words`,
        );
      if (depth > YAML_DEPTH_MAX) return this.refuse(parser.offset, "too-deep", tooDeep());
      yield* parser.next(lexeme);
    }
    yield* parser.end();
  }

  private refuse(offset: number, code: IssueCode, message: string): void {
    this.isRefused = true;
    this.complain(offset, code, message);
  }
}

/** False when the text is not YAML 1.2; one complaint a line, for one slip makes several errors. */
function isSound(document: Document.Parsed, complain: Complain): boolean {
  const { explicit, version } = document.directives.yaml;
  const isOtherYaml = explicit === true && version !== "1.2";
  if (isOtherYaml) complain(0, "yaml-feature", `%YAML ${version} is asked for; files are read as YAML 1.2`);
  let last = -1;
  for (const error of [...document.errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const offset = error.pos[0];
    if (offset === last) continue;
    last = offset;
    if (error.code === "RESOURCE_EXHAUSTION") {
      complain(offset, "too-deep", tooDeep());
      break;
    }
    complain(offset, "not-yaml", explain(error.code, error.message));
  }
  return last === -1 && !isOtherYaml;
}

function explain(code: string, message: string): string {
  if (code === "TAB_AS_INDENT") return "not YAML: a tab indents this line; indent with spaces";
  return `not YAML: ${clean(message).slice(0, 200)}`;
}
const tooDeep = () => `values are nested more than ${YAML_DEPTH_MAX} deep`;

function isTooLarge(text: string): boolean {
  if (text.length > LOOP_FILE_BYTES_MAX) return true;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Half of a pair counts two: a character beyond the first plane has four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes > LOOP_FILE_BYTES_MAX;
}
function refuseSize(complain: Complain): undefined {
  complain(0, "file-too-large", `the file is larger than ${LOOP_FILE_BYTES_MAX / 2 ** 20} MiB and is not read`);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
function place(starts: number[], offset: number): Place {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, col: offset - (starts[low] ?? 0) + 1 };
}
