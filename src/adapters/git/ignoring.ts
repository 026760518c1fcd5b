// Which paths git would not look at: the rules of every level in one list, the nearest last, as git reads them.
import ignore, { type Ignore } from "ignore";

/** Rules in force inside one folder. A child has the rules of its parent and its own `.gitignore`. */
export class Rules {
  private readonly known = new Map<string, boolean>();
  private readonly children = new Map<string, { text: string; rules: Rules }>();
  private constructor(private readonly list: Ignore) {}

  /** `texts` from the weakest to the strongest; each is written as in the top folder. */
  static top(texts: string[]): Rules {
    const list = ignore({ ignorecase: false });
    for (const text of texts) list.add(text);
    return new Rules(list);
  }

  /** The rules below `folder` ("" is the top) whose `.gitignore` has this text. Kept while the text stays the same. */
  inside(folder: string, text: string): Rules {
    const kept = this.children.get(folder);
    if (kept?.text === text) return kept.rules;
    const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
    const rules = new Rules(
      ignore({ ignorecase: false })
        .add(this.list)
        .add(lines.map((line) => below(folder, line))),
    );
    this.children.set(folder, { text, rules });
    return rules;
  }

  /** A folder's path ends in "/". Its parents must have been asked for before: they are walked from the top. */
  ignores(path: string): boolean {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const answer = this.list.ignores(path);
    this.known.set(path, answer);
    return answer;
  }
}

/** The line of a `.gitignore` in `folder`, as it has to be written in the top folder. */
function below(folder: string, line: string): string {
  if (folder === "" || line.startsWith("#") || line.trim() === "") return line;
  const not = line.startsWith("!") ? "!" : "";
  const pattern = line.slice(not.length).replace(/^\\([!#])/, "$1");
  const fixed = /\/./.test(pattern); // a slash before the end ties the pattern to its folder
  return `${not}/${literal(folder)}/${fixed ? pattern.replace(/^\//, "") : `**/${pattern}`}`;
}

function literal(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
