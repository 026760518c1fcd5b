// A sample extension with a class, named in a loop file as  extensions: [examples/extension/wiki.mjs:Wiki]
// It registers one of each kind that a wiki in the repository's folder `wiki/` wants: an action, a tool for agents, a document loader.
// It runs outside the sandbox with your own rights, so keep it small and review it like code.
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const PAGE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const LINES_MAX = 50;

/** @implements {import("pawl").Extension} */
export class Wiki {
  /** Steps call it: {name: note, action: wiki-note, params: {page: Changes, text: "what was done"}} */
  actions = {
    "wiki-note": {
      check: ({ page, text }) => [
        ...(PAGE.test(page ?? "") ? [] : [{ path: ["page"], message: '"page" must be the name of a page' }]),
        ...(typeof text === "string" && text.trim() ? [] : [{ path: ["text"], message: '"text" must be a text' }]),
      ],
      async run({ workspace, params: { page, text } }) {
        const line = `- ${text.replace(/\s+/g, " ")}\n`;
        const before = await pageOf(workspace, page);
        if (before?.endsWith(line)) return { output: `"${page}" says so already` }; // asked twice, as after a crash
        await appendFile(join(workspace, "wiki", `${page}.md`), line);
        return { output: `wrote into "${page}"` };
      },
    },
  };

  /** Agents call it while they work. Its text reaches them as data; what it throws they are told. */
  tools = {
    "wiki-search": {
      about: "Finds lines of the project's wiki that contain a text.",
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      access: "read",
      async run({ workspace, args: { text } }) {
        if (typeof text !== "string" || text.trim() === "") throw new Error('say what to look for: {"text": "…"}');
        const found = [];
        for (const page of await pages(workspace)) {
          const lines = (await pageOf(workspace, page)).split("\n");
          found.push(...lines.flatMap((line, i) => (line.includes(text) ? [`${page}:${i + 1}: ${line}`] : [])));
        }
        return found.length ? found.slice(0, LINES_MAX).join("\n") : `nothing in ${(await pages(workspace)).length} pages`;
      },
    },
  };

  /** `pawl run LOOP --wiki-page Home`: that page is the document of the run, and names its subject. */
  loaders = {
    wiki: {
      options: { "wiki-page": { value: "PAGE", about: "the page of the wiki that the run works on", default: null } },
      async load({ workspace, options }) {
        const page = options["wiki-page"];
        const text = PAGE.test(page) ? await pageOf(workspace, page) : undefined;
        if (text === undefined)
          throw new Error(`there is no page "${page}"; there are: ${(await pages(workspace)).join(", ")}`);
        return { subject: `page ${page}`, documents: text.trim() ? [{ path: `wiki/${page}.md`, text }] : [] };
      },
    },
  };
}

async function pages(workspace) {
  const names = await readdir(join(workspace, "wiki")).catch(() => []);
  return names.filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3)).sort();
}

async function pageOf(workspace, page) {
  return readFile(join(workspace, "wiki", `${page}.md`), "utf8").catch(() => undefined);
}
