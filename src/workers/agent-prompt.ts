// Gathers what a prompt is made of: the notes with their artifacts, what earlier steps left, documents, people's comments.
import { memoryFor } from "../core/first-task.js";
import { PROMPT_TOKENS_MAX } from "../core/limits.js";
import type { Flow, Note, Run, Work } from "../core/model.js";
import { folderOfJob } from "../core/phase.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { type Artifact, buildPrompt, type Prompt, type PromptNote, type PromptParts } from "./prompt.js";
import { shareOf } from "./share.js";

type AgentWork = Extract<Work, { kind: "agent" }>;
/** Inputs that stand elsewhere in the prompt, or that are ours. */
const PLACED = ["goal", "subject", "commit"];
const COMMENT = "a person's comment";

export interface PromptPlace {
  /** Folder of this visit where artifacts are written. */
  artifacts: string;
  /** Folder of this visit for what does not stand in the text. */
  beside: string;
  attended?: boolean;
  tools?: PromptParts["tools"];
}

export async function promptOf(
  shop: Workshop,
  { command, run, flow }: Task,
  work: AgentWork,
  { artifacts, beside, attended = false, tools }: PromptPlace,
): Promise<Prompt> {
  if (command.do !== "work") throw new Error("unreachable: only work has a prompt");
  const { node } = command;
  const folder = shop.store.runFolder(run.id);
  const purse = run.purses.attempts ?? run.purses.iterations;
  const inputs = Object.entries(run.inputs).filter(([key, value]) => !PLACED.includes(key) && value.trim());
  const isFresh = work.access === "read";
  const memory = isFresh ? undefined : memoryFor(shop.frozen.start.memory, flow, run, node);
  const report = work.verdict && { path: `${artifacts}/${work.verdict.artifact}`, file: work.verdict };
  return buildPrompt({
    role: work.prompt,
    loop: flow.name,
    step: node.name,
    job: run.job,
    run: run.id,
    attempt: (purse?.spent ?? 0) + 1,
    goal: flow.goal,
    ...(run.inputs.subject && run.inputs.subject !== flow.name ? { subject: run.inputs.subject } : {}),
    inputs: Object.fromEntries(inputs),
    fresh: isFresh,
    attended,
    ...(work.mode ? { phase: { slug: run.job, folder: folderOfJob(run.job), mode: work.mode } } : {}),
    ...(memory ? { memory } : {}),
    ...(work.stack ? { share: await shareOf(shop, work.stack) } : {}),
    ...(report ? { report } : {}),
    produces: work.verdict ? [] : node.produces.map((name) => ({ name, path: `${artifacts}/${name}` })),
    earlier: earlierOf(run, folder, isFresh ? reviewing(flow) : new Set()),
    beside,
    tokensMax: flow.performers[work.performer]?.promptTokens ?? PROMPT_TOKENS_MAX,
    ...(tools ? { tools } : {}),
    notes: await Promise.all(
      run.notes
        .filter((note) => isComplaint(note) && !isSettled(flow, run, note))
        .map(async (note) => ({ ...(await withTexts(shop, note, folder)), ...sourceOf(flow, note) })),
    ),
    documents: await documentsOf(shop),
    comments: run.notes.flatMap(({ from, findings }) =>
      findings.filter((f) => f.rule === COMMENT).map(({ text }) => ({ who: "a person", step: from, text })),
    ),
  });
}

const isComplaint = (note: Note): boolean =>
  note.findings.some((finding) => finding.rule !== COMMENT && finding.severity !== "info");

/** Nodes that stand behind the author's steps have names that only we know. */
function sourceOf(flow: Flow, { from }: Note): Pick<PromptNote, "of"> {
  const node = flow.nodes[from];
  if (node?.phase !== "validating") return {};
  return { of: node.work.kind === "fan" ? "checks" : "condition" };
}

/** The checks at the end have passed since, so the round that they sent back is over: the next one is new work, and nothing of it is
 *  to be mended. What steps said stays: a later attempt at the same work must know all of them. */
const isSettled = (flow: Flow, run: Run, note: Note): boolean =>
  sourceOf(flow, note).of !== undefined &&
  (run.visits[note.from] ?? 0) > note.visit &&
  run.results[note.from]?.status === "pass";

/** The latest visit of each node that left something; blocks are told in the notes. */
function earlierOf(run: Run, folder: string, unseen: Set<string>): Artifact[] {
  return Object.entries(run.results).flatMap(([name, { artifacts = [] }]) =>
    unseen.has(name)
      ? []
      : artifacts.map((path) => ({
          name: path.slice(path.indexOf("/artifacts/") + "/artifacts/".length),
          path: `${folder}/${path}`,
        })),
  );
}

/** Whose reports a reviewer with fresh eyes does not see, as `run.results` has them. */
function reviewing(flow: Flow): Set<string> {
  const isReview = (work: Work) => work.kind === "agent" && work.verdict !== undefined;
  return new Set(
    Object.values(flow.nodes).flatMap(({ name, work }) => {
      if (work.kind !== "fan") return isReview(work) ? [name] : [];
      const branches = Object.entries(work.branches).filter(([, each]) => isReview(each));
      return branches.length ? [name, ...branches.map(([branch]) => `${name}/${branch}`)] : [];
    }),
  );
}

async function withTexts(shop: Workshop, note: Note, folder: string): Promise<PromptNote> {
  const texts = [];
  for (const path of note.artifacts ?? []) {
    const read = await shop.files.read(folder, path);
    if ("text" in read) texts.push({ path, text: read.text });
  }
  return texts.length ? { ...note, texts } : note;
}

/** As they were when the run began. */
async function documentsOf(shop: Workshop): Promise<{ path: string; text: string }[]> {
  const documents = [];
  for (const path of shop.frozen.flow.documents) {
    const copy = shop.frozen.files[`document ${path}`];
    const text = copy && (await shop.files.text(copy.path));
    if (text !== undefined) documents.push({ path, text });
  }
  return documents;
}
