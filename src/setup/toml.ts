// Looks at a TOML file without reading its values: is it whole, and which tables and keys does it have? Enough to append a block.

/** "broken": a text or bracket never ends, or a statement is none of TOML's. Names come without quotes and blanks. */
export function tablesOf(text: string): { names: string[]; keys: string[] } | "broken" {
  const names: string[] = [];
  const keys: string[] = [];
  const statements = statementsOf(text.replace(/^\ufeff/, ""));
  if (statements === undefined) return "broken";
  for (const line of statements) {
    const table = TABLE.exec(line)?.[1];
    const key = KEY.exec(line)?.[1];
    if (table !== undefined) names.push(plain(table));
    else if (key !== undefined) keys.push([...names.slice(-1), plain(key)].join("."));
    else return "broken";
  }
  return { names, keys };
}

const PART = String.raw`(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')`;
const NAME = String.raw`${PART}(?:[ \t]*\.[ \t]*${PART})*`;
const TABLE = new RegExp(String.raw`^\[{1,2}[ \t]*(${NAME})[ \t]*\]{1,2}$`);
const KEY = new RegExp(String.raw`^(${NAME})[ \t]*=[ \t]*\S`);
const plain = (name: string): string => name.replace(/["']/g, "").replace(/[ \t]*\.[ \t]*/g, ".");

/** A text in three quotes, a comment, a text on one line, a bracket, a line end, and all the rest. A lone quote is none. */
const TOKEN =
  /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|#[^\n]*|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'|[[{]|[\]}]|\n|[^"'#[\]{}\n]+/y;

const DEPTHS: Record<string, number> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/** Without comments; one may go over several lines. Undefined: something never ends. */
function statementsOf(text: string): string[] | undefined {
  const found = [""];
  let depth = 0;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) return undefined;
    depth += DEPTHS[token] ?? 0;
    if (token === "\n" && depth === 0) found.push("");
    else if (!token.startsWith("#")) found.push((found.pop() ?? "") + token);
  }
  return depth === 0 ? found.map((line) => line.trim()).filter((line) => line !== "") : undefined;
}
