// Where the documents of a run come from: the loader that is chosen, asked once, before anything of the run exists. One of the few
// files that know everybody.
import { BUNDLED } from "./adapters/loaders/bundled.js";
import { chooseLoader, clashOf } from "./config/loaders.js";
import { ARTIFACT_BYTES_MAX, DOCUMENTS_BYTES_MAX, DOCUMENTS_MAX, NAME_CHARS_MAX } from "./core/limits.js";
import { FaultError, Refusal } from "./ports/errors.js";
import type { ContextFacts, LoadOptions } from "./ports/house.js";
import type { Brought, Loader, LoaderPlace } from "./ports/loader.js";
import type { FrozenFile } from "./ports/store.js";

export interface DocumentsWish {
  /** Of the loop's extensions. */
  loaders: Loader[];
  place: LoaderPlace;
  how: Pick<LoadOptions, "given" | "words" | "looks" | "handed">;
  /** May a loader start by itself? */
  mayDefault: boolean;
  sha256(text: string): string;
}
export interface Context {
  facts: ContextFacts;
  /** "document PATH" to a text that is frozen with the run. */
  files: Record<string, FrozenFile>;
}

/** A loader of an extension that does not answer is a fault, not a wait. */
const LOADER_MS = 120_000;

/** Throws a Refusal or a FaultError: then no agent has been started, and nothing of the run exists. */
export async function contextFor(wish: DocumentsWish): Promise<Context> {
  const { loaders, place, how, sha256 } = wish;
  const all = [...BUNDLED, ...loaders];
  refuse(clashOf(all));
  const chosen = chooseLoader(all, { given: how.given ?? {}, words: how.words ?? [] });
  if (chosen && "code" in chosen) throw refusal(chosen);
  if (how.handed) return { facts: { notes: [], isAsked: true }, files: how.handed };
  const { loader, options } = chosen ?? { loader: byDefault(all, wish), options: {} };
  if (!loader) return { facts: { notes: [], isAsked: true }, files: {} };
  if (how.looks && !BUNDLED.includes(loader))
    return { facts: { loader: loader.name, notes: [], isAsked: false }, files: {} };
  const brought = await ask(loader, place, options);
  refuseEmpty(loader, brought);
  const files = brought.documents.map(({ path, text }): [string, FrozenFile] => [
    `document ${path}`,
    { path: "", digest: sha256(text), text, brought: true },
  ]);
  const { subject, notes = [] } = brought;
  return { facts: { loader: loader.name, subject, notes, isAsked: true }, files: Object.fromEntries(files) };
}

function byDefault(all: Loader[], { mayDefault, place }: DocumentsWish): Loader | undefined {
  if (!mayDefault) return undefined;
  const found = all.filter(({ defaultable }) => (typeof defaultable === "function" ? defaultable(place) : defaultable));
  const [first, second] = found;
  if (second === undefined) return first;
  const options = found.map(({ name, options }) => `"${name}" (--${Object.keys(options)[0]})`);
  throw new Refusal(
    "two-loaders",
    `no option chooses where the documents come from, and ${found.length} loaders may start by themselves: ${options.join(", ")}`,
    "give the option of one of them",
  );
}

async function ask(loader: Loader, place: LoaderPlace, options: Record<string, string>): Promise<Brought> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`it has not answered after ${LOADER_MS / 1000} s`)), LOADER_MS);
  });
  try {
    return await Promise.race([loader.load({ ...place, options, signal: over.signal }), late]);
  } catch (error) {
    if (error instanceof Refusal || error instanceof FaultError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new FaultError({
      code: "loader-failed",
      message: `the loader "${loader.name}" could not bring the documents: ${why}`,
      hint: "mend what it says and start again; no agent was started",
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** An empty context is not silently accepted, and neither is one that cannot be named or kept. */
function refuseEmpty({ name }: Loader, { documents }: Brought): void {
  const bytes = documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (documents.every(({ text }) => text.trim() === "")) {
    throw new Refusal(
      "empty-context",
      `the loader "${name}" came back empty: it brought ${documents.length ? "documents without text" : "no document"}`,
      "write the documents, or choose others; no agent was started",
    );
  }
  if (documents.length > DOCUMENTS_MAX || bytes > DOCUMENTS_BYTES_MAX) {
    throw new Refusal(
      "too-many-documents",
      `the loader "${name}" brought ${documents.length} documents of ${bytes} bytes; ${DOCUMENTS_MAX} of ${DOCUMENTS_BYTES_MAX} are taken`,
      "choose fewer",
    );
  }
  const seen = new Set<string>();
  for (const { path, text } of documents) {
    const wrong =
      (!isName(path) && "is no relative path") ||
      (seen.has(path) && "came twice") ||
      (Buffer.byteLength(text) > ARTIFACT_BYTES_MAX && `is larger than ${ARTIFACT_BYTES_MAX} bytes`);
    if (wrong)
      throw new Refusal("bad-document", `a document of the loader "${name}", "${path}", ${wrong}`, "mend the loader");
    seen.add(path);
  }
}

function isName(path: string): boolean {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return isPlain && path.length <= NAME_CHARS_MAX && !/[\u0000-\u001f\u007f\\]/.test(path);
}

const refusal = ({ code, message, hint }: { code: string; message: string; hint: string }): Refusal =>
  new Refusal(code, message, hint);
function refuse(clash: ReturnType<typeof clashOf>): void {
  if (clash) throw refusal(clash);
}
