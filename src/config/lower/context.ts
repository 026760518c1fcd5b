// What the lowerings ask while they work: does this name exist, where did it stand. Collects every complaint instead of stopping.
import type { Json, Performer } from "../../core/model.js";
import { agentsOfRole } from "../../core/stacks.js";
import { type AgentFile, agentFilePath } from "../agent-file.js";
import type { Issue, IssueCode } from "../issues.js";
import type { Known } from "../known.js";
import type { LoopFile, Path, Positions } from "../schema/file.js";
import { didYouMean as suggest } from "../suggest.js";

export class Context {
  readonly issues: Issue[] = [];
  readonly performers: Record<string, Performer> = {};
  readonly named: Record<string, string> = {};

  constructor(
    private readonly file: LoopFile,
    private readonly where: Positions,
    private readonly path: string,
    readonly known: Known,
  ) {}

  /** Note a complaint about what stands at `at`. */
  complain(code: IssueCode, at: Path, message: string, hint?: string, severity: Issue["severity"] = "error"): void {
    const { line, col } = this.where.at(at);
    this.issues.push({ code, path: this.path, line, col, message, ...(hint ? { hint } : {}), severity });
  }

  origin(at: Path, fold: string): { line: number; fold: string } {
    return { line: this.where.at(at).line, fold };
  }

  /** The performer a step names, or the one that does unmapped agents' work. */
  performer(name: string, at: Path, mend = 'map it under "agents:", or give a default with --agent'): string {
    const agent = this.agentOf(name, at);
    const found = this.file.performers[name] ?? this.known.performers[name] ?? this.byUse(name);
    if (found) return this.keep(name, dressed(found, agent), at);
    if (this.isBuiltIn()) return this.keep(name, dressed({ use: LLM }, agent), at);
    if (this.known.fallback) {
      const usual = this.fallbackPerformer(at);
      const performer = this.performers[usual];
      return agent && performer ? this.keep(name, dressed(performer, agent), at) : usual;
    }
    const names = [...Object.keys(this.file.performers), ...Object.keys(this.known.performers)];
    const hint = suggest(name, names) ?? mend;
    this.complain("unknown-agent", at, `agent "${name}" is not mapped${list(names)}`, hint);
    return name;
  }

  /** Who fills a role of a doer loop: one agent, or one for each stack. */
  agentsOf(role: string): string[] {
    return agentsOfRole(role, this.known.registered ?? [], this.known.uses);
  }

  /** What its agent file says of it; complained about where the loop has a folder of them and this one is not there. */
  private agentOf(name: string, at: Path): AgentFile | undefined {
    const { agentsDir } = this.file;
    const found = this.known.agentFiles?.[name];
    if (!found) {
      if (agentsDir === undefined || !this.known.agentFiles) return undefined;
      const path = agentFilePath(agentsDir, name);
      const hint = "write it, or take agents_dir out";
      this.complain("unknown-agent", at, `${this.whose(at)} has the agent "${name}", and there is no "${path}"`, hint);
      return undefined;
    }
    this.named[`agent ${found.path}`] = found.digest;
    const { read } = found;
    const told = "issues" in read ? read.issues : read.warnings;
    for (const issue of told) if (!this.issues.includes(issue)) this.issues.push(issue);
    return "agent" in read ? read.agent : undefined;
  }

  /** What the agent is told first: the body of its file, then what it is here. */
  roleOf(name: string, usual: string): string {
    const read = this.known.agentFiles?.[name]?.read;
    return read && "agent" in read ? `${read.agent.body}\n\n${usual}` : usual;
  }

  /** The step or node a place belongs to, as its author calls it. */
  private whose([key, i]: Path): string {
    const { file } = this;
    if (file.body === "steps" && typeof i === "number") return `step "${file.steps[i]?.name}"`;
    if (file.body === "nodes" && typeof i === "number") return `node "${file.nodes[i]?.id}"`;
    return `"${key}"`;
  }

  /** For skills and agents that are not mapped: `--agent`, else the repository's default. */
  fallbackPerformer(at: Path): string {
    if (this.isBuiltIn()) return this.keep(LLM, { use: LLM }, at);
    const { fallback } = this.known;
    if (!fallback) {
      const hint = `give one with --agent (${this.known.uses.join(", ")}), or "agent:" in .pawl/config.yaml`;
      this.complain("unknown-agent", at, "there is no agent to do this step", hint);
      return "";
    }
    const found = this.file.performers[fallback] ?? this.known.performers[fallback] ?? this.byUse(fallback);
    if (found) return this.keep(fallback, found, at);
    const names = [...Object.keys(this.file.performers), ...Object.keys(this.known.performers), ...this.known.uses];
    this.complain(
      "unknown-agent",
      at,
      `the default agent "${fallback}" is not known${list(names)}`,
      suggest(fallback, names),
    );
    return fallback;
  }

  /** A file that says where its model is means the built-in agent for whom it does not map, unless another was asked for by name. */
  private isBuiltIn(): boolean {
    return this.file.llm !== undefined && !(this.known.isChosen && this.known.fallback !== undefined);
  }

  private byUse(name: string): Performer | undefined {
    return this.known.uses.includes(name) && name !== "command" ? { use: name } : undefined;
  }

  private keep(name: string, performer: Performer, at: Path): string {
    if (name in this.performers) return name;
    this.performers[name] = performer.use === LLM ? this.builtIn(name, performer, at) : performer;
    if (!this.known.uses.includes(performer.use)) {
      const hint = `this release drives ${this.known.uses.join(", ")}`;
      this.complain(
        "not-in-release",
        at,
        `agent "${name}" uses "${performer.use}", which this release does not drive`,
        hint,
      );
    }
    if (performer.fallback !== undefined) this.performer(performer.fallback, at);
    for (const [key, value] of Object.entries(performer.env ?? {})) {
      if (typeof value !== "string" && !this.known.isSet(value.from))
        this.unset(at, `agent "${name}" takes ${key} from`, value.from);
    }
    return name;
  }

  /** What the performer does not say itself, the key "llm" of the file says. Nothing else stands in. */
  private builtIn(name: string, performer: Performer, at: Path): Performer {
    const { model, baseUrl, apiKeyEnv: keyEnv, api, timeoutMs: callTimeoutMs } = this.file.llm ?? {};
    const told = { ...(model ? { model } : {}), ...(baseUrl ? { baseUrl } : {}), ...(keyEnv ? { keyEnv } : {}) };
    const whole = { ...told, ...(api ? { api } : {}), ...(callTimeoutMs ? { callTimeoutMs } : {}), ...performer };
    const wanted = { model: whole.model, base_url: whole.baseUrl, api_key_env: whole.keyEnv };
    const missing = Object.entries(wanted).flatMap(([key, value]) => (value ? [] : [`"${key}"`]));
    if (missing.length) {
      const place = this.file.llm ? ["llm"] : at;
      const hint = "write llm: {model: …, base_url: …, api_key_env: …}";
      this.complain("missing-key", place, `the built-in agent "${name}" is not told its ${missing.join(", ")}`, hint);
    }
    return whole;
  }

  unset(at: Path, what: string, variable: string): void {
    this.complain(
      "missing-variable",
      at,
      `${what} the variable "${variable}", which is not set`,
      `export ${variable} first`,
    );
  }

  accessOf(performer: string, usual: "read" | "write"): "read" | "write" {
    return this.performers[performer]?.access ?? usual;
  }

  skillText(name: string, at: Path): string {
    const skill = this.known.skills[name];
    if (!skill) {
      this.complain("unknown-skill", at, `skill "${name}" is not found`, `write .pawl/skills/${name}/SKILL.md`);
      return "";
    }
    this.named[`skill ${name}`] = skill.digest;
    return skill.text;
  }

  checkAction({ action, params }: { action: string; params: Json }, at: Path): void {
    const facts = this.known.actions[action];
    const names = Object.keys(this.known.actions);
    if (!facts)
      this.complain(
        "unknown-action",
        [...at, "action"],
        `action "${action}" is not registered${list(names)}`,
        suggest(action, names),
      );
    for (const { path, message, hint } of facts?.check(params) ?? []) {
      const code = message.includes("{") ? "unknown-placeholder" : "bad-parameter";
      this.complain(code, [...at, "params", ...path], message, hint);
    }
  }

  actionOutcomes(action: string): string[] {
    return this.known.actions[action]?.outcomes ?? [];
  }

  checkHook(name: string, params: Json, at: Path): Known["hooks"][string] | undefined {
    const facts = this.known.hooks[name];
    const names = Object.keys(this.known.hooks);
    if (!facts)
      this.complain("unknown-hook", at, `hook "${name}" is not registered${list(names)}`, suggest(name, names));
    for (const { path, message, hint } of facts?.check(params) ?? [])
      this.complain("bad-parameter", [...at, "with", ...path], message, hint);
    return facts;
  }

  hookOutcomes(name: string): string[] {
    return this.known.hooks[name]?.outcomes ?? [];
  }

  checkLoop(name: string, at: Path): void {
    const { loops } = this.known;
    if (!loops.includes(name))
      this.complain("unknown-loop", at, `loop "${name}" does not exist${list(loops)}`, suggest(name, loops));
  }

  checkDocument(path: string, at: Path, mend = "write it, or take the key out"): void {
    const document = this.known.documents[path];
    if (!document) this.complain("missing-document", at, `document "${path}" does not exist`, mend);
    else this.named[`document ${document.path ?? path}`] = document.digest;
    if (document?.isBlank) this.complain("missing-document", at, `document "${path}" is empty`, mend, "warning");
  }

  unknownStep(at: Path, from: string, name: string, names: string[]): void {
    this.complain(
      "unknown-step",
      at,
      `"${from}" leads to "${name}", which is no step${list(names)}`,
      suggest(name, names),
    );
  }

  unpaidWayBack(at: Path, from: string, target: string): void {
    const message = `the way back from "${from}" to "${target}" is bounded only by 100 hidden laps`;
    this.complain(
      "unpaid-way-back",
      at,
      message,
      `write {goto: ${target}, retry: true} to count it as an attempt`,
      "warning",
    );
  }
}

/** The mapping says who starts; what it leaves open, the file says. */
const dressed = (performer: Performer, agent: AgentFile | undefined): Performer => ({
  ...(agent?.model ? { model: agent.model } : {}),
  ...(agent?.tools ? { tools: agent.tools } : {}),
  ...performer,
});

/** The word after `use:` of the built-in agent. */
const LLM = "llm";

const list = (names: string[]): string => (names.length ? `; there are: ${names.slice(0, 20).join(", ")}` : "");
