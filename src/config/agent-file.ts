// An agent file, NAME.agent.md: who an agent is. Front matter names it, its model and its tools; the body is its instructions. Pure.
import { z } from "zod";
import type { Issue, IssueCode } from "./issues.js";
import { collect } from "./parse.js";
import { compact } from "./schema/compact.js";
import { type Complaint, complainOf } from "./schema/complaints.js";
import { freeText, keys, list, slug, text } from "./schema/leaf.js";
import { readSource, type Source } from "./schema/source.js";
import { didYouMean, listed, quote } from "./suggest.js";

export const AGENT_FILE_END = ".agent.md";
/** Tools one file may name. */
export const AGENT_TOOLS_MAX = 200;

export interface AgentFile {
  /** The stem of the file. */
  name: string;
  description?: string;
  model?: string;
  /** In the words of the file; absent: those the client gives. An empty list: none. */
  tools?: string[];
  /** The instructions, trimmed, never blank. */
  body: string;
}
export type AgentFileRead = { agent: AgentFile; warnings: Issue[] } | { issues: Issue[] };

const tools = () =>
  z.union([freeText(), list(freeText(), "names of tools", AGENT_TOOLS_MAX)], {
    error: `must be a list of at most ${AGENT_TOOLS_MAX} names of tools`,
  });
export const agentFileSchema = keys({
  name: slug("the name of an agent").meta({ description: "The stem of the file: NAME of NAME.agent.md." }),
  description: freeText().optional().meta({ description: "What the agent is for, for people." }),
  model: text("the name of a model").optional().meta({ description: "The model, in the client's own words." }),
  tools: tools().optional().meta({ description: "Tools the agent may use." }),
});
/** Other clients read the same files and have keys of their own; they are told, and nothing more. */
const KNOWN = Object.keys(agentFileSchema.shape);

/** `path` as people know the file; it must end in `.agent.md`. Line and column of an issue count from the top of the file. */
export function readAgentFile(given: string, path: string): AgentFileRead {
  const whole = given.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const block = /^---[ \t]*\n((?:[^\n]*\n)*?)---[ \t]*(?:\n|$)/.exec(whole);
  if (!block) {
    const what = /^---[ \t]*\n/.test(whole) ? 'has no second "---"' : "is missing";
    const hint = `begin the file with the lines "---", "name: ${stemOf(path)}" and "---"`;
    return { issues: [issueAt(path, 1, "missing-key", `the front matter ${what}`, hint)] };
  }
  const front = readSource(block[1] ?? "", path, "write at least its name");
  if (front.data === undefined) return { issues: front.issues.map(below) };
  const set = Object.entries(front.data).filter(([, value]) => value !== null);
  const data = Object.fromEntries(set.filter(([key]) => KNOWN.includes(key)));
  const parsed = agentFileSchema.safeParse(data);
  const complaints = (parsed.error?.issues ?? []).flatMap((one) => complainOf(one, data, undefined));
  const issues = collect(front, [...complaints, ...checkName(data, path)], path).map(below);
  const body = whole.slice(block[0].length).trim();
  if (body === "") {
    const line = block[0].trimEnd().split("\n").length;
    issues.push(issueAt(path, line, "missing-key", "no instructions stand below the front matter", "write them there"));
  }
  if (issues.length > 0 || !parsed.success) return { issues };
  const warnings = set.filter(([key]) => !KNOWN.includes(key)).map(([key]) => warnOf(key, front, path));
  return { agent: agentOf(parsed.data, body), warnings };
}

/** The line "---" stands above the front matter. */
const below = (issue: Issue): Issue => ({ ...issue, line: issue.line + 1 });

function agentOf({ tools, ...same }: z.output<typeof agentFileSchema>, body: string): AgentFile {
  // other clients write "Read, Grep" in one text
  const names = typeof tools === "string" ? tools.split(",") : tools;
  return compact({ ...same, tools: names?.map((one) => one.trim()).filter((one) => one !== ""), body });
}

function warnOf(key: string, front: Source, path: string): Issue {
  const { line, col } = front.at([key]);
  const message = `${quote(key)} is not acted upon; an agent file has ${listed(KNOWN, "and")}`;
  const hint = didYouMean(key, KNOWN);
  return { ...issueAt(path, line + 1, "not-acted-upon", message, hint), col, severity: "warning" };
}

function checkName(data: { name?: unknown }, path: string): Complaint[] {
  const stem = stemOf(path);
  if (typeof data.name !== "string" || data.name === stem) return [];
  const message = `"name" must be ${quote(stem)}, the stem of the file, not ${quote(data.name)}`;
  return [{ path: ["name"], code: "name-differs", message, hint: "rename one of the two" }];
}

/** Where the file of an agent is looked for: in the loop's `agents_dir`, or where every loop's agents may be. */
export const agentFilePath = (agentsDir: string | undefined, name: string): string =>
  `${agentFolder(agentsDir)}/${name}${AGENT_FILE_END}`;
export const agentFolder = (agentsDir: string | undefined): string => (agentsDir ?? ".pawl/agents").replace(/\/+$/, "");

export const isAgentFile = (file: string): boolean => file.endsWith(AGENT_FILE_END);

/** `.pawl/agents/doer-web.agent.md` is the agent "doer-web". */
export function stemOf(path: string): string {
  const file = path.slice(path.lastIndexOf("/") + 1);
  return isAgentFile(file) ? file.slice(0, -AGENT_FILE_END.length) : file;
}

const issueAt = (path: string, line: number, code: IssueCode, message: string, hint?: string): Issue => ({
  code,
  path,
  line,
  col: 1,
  message,
  ...(hint === undefined ? {} : { hint }),
  severity: "error",
});
