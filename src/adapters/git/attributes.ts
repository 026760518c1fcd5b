// What `.gitattributes` says about paths. Asking runs no filter.
import type { QuietGit } from "./quiet.js";

export interface Attributes {
  /** Git would not store the bytes as they lie: a filter, keywords, another encoding. */
  converted?: "filter" | "ident" | "working-tree-encoding";
  /** Whether git turns CRLF into LF. "unsaid": the user's configuration decides. */
  text: "yes" | "no" | "unsaid";
}

export async function readAttributes(git: QuietGit, paths: string[]): Promise<Map<string, Attributes>> {
  if (paths.length === 0) return new Map();
  const said = await git.list(
    ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding", "text", "eol"],
    {
      stdin: paths.map((path) => `${path}\0`).join(""),
    },
  );
  const all = new Map<string, Map<string, string>>(paths.map((path) => [path, new Map()]));
  for (let i = 0; i + 2 < said.length; i += 3) all.get(said[i] ?? "")?.set(said[i + 1] ?? "", said[i + 2] ?? "");
  return new Map([...all].map(([path, one]) => [path, judge(one)]));
}

const NOTHING = new Set([undefined, "unspecified", "unset", ""]);

function judge(said: Map<string, string>): Attributes {
  const converted = (["filter", "ident", "working-tree-encoding"] as const).find(
    (name) => !NOTHING.has(said.get(name)),
  );
  const text = said.get("text");
  const asText = text === "set" || text === "auto" || text === "input" || !NOTHING.has(said.get("eol"));
  return { ...(converted ? { converted } : {}), text: text === "unset" ? "no" : asText ? "yes" : "unsaid" };
}
