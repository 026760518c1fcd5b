// What judges the work (checks, the loop itself, CI, tests, snapshots) and was changed by the work: said in the verdict, never hidden.
// What is protected is a warning and shown at the next gate; changed tests and snapshots are often the work itself, and said as such.
import type { Finding } from "./verdict.js";

/** The rule of such findings. */
export const ORACLE = "judges";
/** Paths named in one finding. */
const NAMED_MAX = 5;

interface Kind {
  what: string;
  severity: "warning" | "info";
  is: RegExp;
  /** New files of this kind are said too: a new check decides, a new test only adds. */
  alsoNew: boolean;
}
/** The first that fits names a path. */
const KINDS: Kind[] = [
  { what: "validators", severity: "warning", is: /^validators\//, alsoNew: true },
  {
    what: "files of Pawl",
    severity: "warning",
    is: /^\.pawl\/(?:(?:loops|skills|agents)\/|config\.yaml$)/,
    alsoNew: true,
  },
  {
    what: "CI",
    severity: "warning",
    is: /^(?:\.github\/workflows\/|\.circleci\/|\.buildkite\/|\.ci\/|(?:\.gitlab-ci|\.travis|azure-pipelines|bitbucket-pipelines)\.ya?ml$|Jenkinsfile$)/,
    alsoNew: true,
  },
  { what: "snapshots", severity: "info", is: /(?:^|\/)__snapshots__\/|\.snap$|\.approved\.\w+$/, alsoNew: false },
  {
    what: "tests",
    severity: "info",
    is: /(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+\.py$/i,
    alsoNew: false,
  },
];

/** Of a tree (path to digest) what judges. `protects` is what else is protected: files, or folders with all below. */
export function judgesIn(files: Readonly<Record<string, string>>, protects: readonly string[]): Record<string, string> {
  const isOne = (path: string) => isProtected(path, protects) || KINDS.some(({ is }) => is.test(path));
  return Object.fromEntries(Object.entries(files).filter(([path]) => isOne(path)));
}

/** What of it is not what it was. */
export function judgesTouched(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  protects: readonly string[],
): Finding[] {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (path) => before[path] !== now[path],
  );
  const found = new Map<Kind, string[]>();
  for (const path of changed.sort()) {
    const kind = kindOf(path, before[path] !== undefined, protects);
    if (kind) found.set(kind, [...(found.get(kind) ?? []), path]);
  }
  return [...found].map(([{ what, severity }, paths]) => {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
    const named = paths.slice(0, NAMED_MAX).join(", ");
    return { text: `the work changed what judges it: ${what} (${named}${more})`, rule: ORACLE, severity };
  });
}

const PROTECTED: Kind = { what: "protected files", severity: "warning", is: /./, alsoNew: true };

function kindOf(path: string, wasThere: boolean, protects: readonly string[]): Kind | undefined {
  if (isProtected(path, protects)) return PROTECTED;
  return KINDS.find(({ is, alsoNew }) => is.test(path) && (alsoNew || wasThere));
}

/** They are written by people: "./lib/" is "lib". */
function isProtected(path: string, protects: readonly string[]): boolean {
  return protects.some((each) => {
    const plain = each.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
    return plain !== "" && (path === plain || path.startsWith(`${plain}/`));
  });
}
