// Gathers what a prompt is made of: the notes with their artifacts, what earlier steps left, documents, people's comments.
import { memoryFor } from "../core/first-task.js";
import type { Note, Run, Work } from "../core/model.js";
import { folderOfJob } from "../core/phase.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { type Artifact, buildPrompt, type PromptNote } from "./prompt.js";

type AgentWork = Extract<Work, { kind: "agent" }>;
/** Inputs that stand elsewhere in the prompt, or that are ours. */
const PLACED = ["goal", "subject", "commit"];
const COMMENT = "a person's comment";

export async function promptOf(
  shop: Workshop,
  { command, run, flow }: Task,
  work: AgentWork,
  /** Folder of this visit where artifacts are written. */
  artifacts: string,
  attended = false,
): Promise<string> {
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
    ...(run.inputs.subject ? { subject: run.inputs.subject } : {}),
    inputs: Object.fromEntries(inputs),
    fresh: isFresh,
    attended,
    ...(work.mode ? { phase: { slug: run.job, folder: folderOfJob(run.job), mode: work.mode } } : {}),
    ...(memory ? { memory } : {}),
    ...(report ? { report } : {}),
    produces: work.verdict ? [] : node.produces.map((name) => ({ name, path: `${artifacts}/${name}` })),
    earlier: earlierOf(run, folder),
    notes: await Promise.all(run.notes.filter(isComplaint).map((note) => withTexts(shop, note, folder))),
    documents: await documentsOf(shop),
    comments: run.notes.flatMap(({ from, findings }) =>
      findings.filter((f) => f.rule === COMMENT).map(({ text }) => ({ who: "a person", step: from, text })),
    ),
  });
}

const isComplaint = (note: Note): boolean =>
  note.findings.some((finding) => finding.rule !== COMMENT && finding.severity !== "info");

/** The latest visit of each node that left something; blocks are told in the notes. */
function earlierOf(run: Run, folder: string): Artifact[] {
  return Object.values(run.results).flatMap(({ artifacts = [] }) =>
    artifacts.map((path) => ({
      name: path.slice(path.indexOf("/artifacts/") + "/artifacts/".length),
      path: `${folder}/${path}`,
    })),
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
