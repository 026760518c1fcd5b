// Changes single keys of `.pawl/config.yaml`. Comments, order and every other byte stay: only the value on its line is written.
import type { Issue } from "./issues.js";
import { parseSettings, type Settings } from "./settings.js";

/** Values by key of the file. Issues when the file is wrong before or after, or the key's value is spread over lines. */
export function changeSettings(
  text: string,
  values: Record<string, string | string[]>,
  path: string,
): { text: string } | { issues: Issue[] } {
  let now = text;
  for (const [key, value] of Object.entries(values)) {
    const changed = changeOne(now, key, value, path);
    if ("issues" in changed) return changed;
    now = changed.text;
  }
  return { text: now };
}

function changeOne(
  text: string,
  key: string,
  value: string | string[],
  path: string,
): { text: string } | { issues: Issue[] } {
  const before = parseSettings(text, path);
  if ("issues" in before) return before;
  const spelled = spell(value);
  const line = new RegExp(
    `^(${key}[ \\t]*:)(?:[ \\t]+([^#\\s][^#\\r\\n]*?|"[^"\\r\\n]*"))?([ \\t]*(?:[ \\t]#[^\\r\\n]*)?)(\\r?)$`,
    "m",
  );
  const found = line.exec(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  const after = found
    ? `${text.slice(0, found.index)}${found[1]} ${spelled}${found[3]}${found[4]}${text.slice(found.index + found[0].length)}`
    : `${text}${gap}${key}: ${spelled}${eol}`;
  if (isAlready(before.settings, key, value)) return { text };
  const read = parseSettings(after, path);
  if ("issues" in read) return read;
  // what was read is the proof: this key has the value, and no other key has moved
  const isProven =
    isAlready(read.settings, key, value) && same(without(read.settings, key), without(before.settings, key));
  return isProven ? { text: after } : { issues: [spread(path, key)] };
}

const spell = (value: string | string[]): string =>
  typeof value === "string" ? word(value) : `[${value.map(word).join(", ")}]`;
const word = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9_/-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);

const NAMES: Record<string, keyof Settings> = {
  branch_base: "branchBase",
  production_branch: "productionBranch",
  agent: "agent",
  ides: "ides",
};
function isAlready(settings: Settings, key: string, value: string | string[]): boolean {
  const name = NAMES[key];
  return name !== undefined && same(settings[name], value);
}
function without(settings: Settings, key: string): Settings {
  const name = NAMES[key];
  return Object.fromEntries(Object.entries(settings).filter(([each]) => each !== name)) as unknown as Settings; // one key less
}
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function spread(path: string, key: string): Issue {
  const message = `the value of "${key}" goes over several lines; change it by hand`;
  return { code: "bad-value", path, line: 1, col: 1, message, severity: "error" };
}
