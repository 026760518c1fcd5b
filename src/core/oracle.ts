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

export interface Touched {
  /** Paths that differ, and those of them that were there before. */
  changed: readonly string[];
  wasThere(path: string): boolean;
  /** What else is protected: the loop file, `isolation.protect`. Files, or folders with all below. */
  protects: readonly string[];
}

export function judgesTouched({ changed, wasThere, protects }: Touched): Finding[] {
  const isProtected = (path: string) => protects.some((each) => path === each || path.startsWith(`${each}/`));
  const protectedOnes: Kind = { what: "protected files", severity: "warning", is: /./, alsoNew: true };
  const kindOf = (path: string) =>
    isProtected(path) ? protectedOnes : KINDS.find(({ is, alsoNew }) => is.test(path) && (alsoNew || wasThere(path)));
  const found = new Map<Kind, string[]>();
  for (const path of changed) {
    const kind = kindOf(path);
    if (kind) found.set(kind, [...(found.get(kind) ?? []), path]);
  }
  return [...found].map(([{ what, severity }, paths]) => {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
    return {
      text: `the work changed what judges it: ${what} (${paths.slice(0, NAMED_MAX).join(", ")}${more})`,
      rule: ORACLE,
      severity,
    };
  });
}
