// Everything a step can plant so that git, run later on the host, executes it. None may run; the work arrives or the commit is refused.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Yard } from "./yard.js";

const NESTED = "mkdir sub; git -C sub init -q; echo 1 >sub/f; git -C sub add f; git -C sub commit -qm n;";
const CASES: {
  name: string;
  before?: string;
  plant: string;
  end: "arrives" | "refused";
  at?: string;
  start?: "no-git";
}[] = [
  { name: "fsmonitor in .git/config", plant: "git config core.fsmonitor ./payload.sh", end: "refused" },
  { name: "pre-commit hook planted", plant: "cp payload.sh .git/hooks/pre-commit", end: "arrives" },
  {
    name: "tracked hook of the user's own hooksPath edited",
    before:
      "mkdir .husky; printf '#!/bin/sh\\n' >.husky/pre-commit; chmod +x .husky/pre-commit; git config core.hooksPath .husky; git add -A; git commit -qm hooks",
    plant: "cp payload.sh .husky/pre-commit",
    end: "arrives",
  },
  {
    name: "nested repository with fsmonitor",
    plant: `${NESTED} git -C sub config core.fsmonitor "$PWD/payload.sh"`,
    end: "arrives",
  },
  {
    name: "nested repository with a filter",
    before: `${NESTED} git add -A; git commit -qm sub`,
    plant: `git -C sub config filter.z.clean "$PWD/payload.sh"; echo '* filter=z' >sub/.gitattributes; echo 2 >sub/f`,
    end: "arrives",
  },
  {
    name: "filter in .git/config",
    plant: `git config filter.z.clean "$PWD/payload.sh"; echo '* filter=z' >.gitattributes; echo new >a.txt`,
    end: "refused",
  },
  {
    name: "filter of the user's own, driver in the tree",
    before: "git config --global filter.fmt.clean ./tools/fmt.sh",
    plant: "mkdir tools; cp payload.sh tools/fmt.sh; echo '*.txt filter=fmt' >.gitattributes; echo z >a.txt",
    end: "refused",
  },
  {
    name: ".git turned into a file",
    plant:
      'mv .git gd; git --git-dir=gd config core.fsmonitor "$PWD/payload.sh"; git --git-dir=gd config --unset core.bare; echo "gitdir: $PWD/gd" >.git',
    end: "refused",
  },
  {
    name: ".git planted where none was",
    start: "no-git",
    plant: 'git init -q; git config core.fsmonitor "$PWD/payload.sh"',
    end: "refused",
  },
  {
    name: "bare repository inside, host works in that folder",
    plant:
      'mkdir bare; cd bare; git init -q --bare .; git config core.fsmonitor "$PWD/../payload.sh"; git config core.bare false; git config core.worktree "$PWD"',
    end: "arrives",
    at: "bare",
  },
  {
    name: "gpg.program",
    plant: 'git config commit.gpgsign true; git config gpg.program "$PWD/payload.sh"',
    end: "refused",
  },
  { name: "diff.external", plant: 'git config diff.external "$PWD/payload.sh"; echo z >>a.txt', end: "refused" },
  {
    name: "post-index-change hook",
    plant: "cp payload.sh .git/hooks/post-index-change; touch -d '+5 seconds' a.txt",
    end: "arrives",
  },
  {
    name: "commondir planted",
    plant: 'cp -r .git cd2; git --git-dir=cd2 config core.fsmonitor "$PWD/payload.sh"; echo "$PWD/cd2" >.git/commondir',
    end: "refused",
  },
  {
    name: "config.worktree planted",
    plant:
      "git config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = ./payload.sh\\n' >.git/config.worktree",
    end: "refused",
  },
  {
    name: "git planted in the tree and in PATH",
    plant: "mkdir -p node_modules/.bin; cp payload.sh node_modules/.bin/git",
    end: "arrives",
  },
  {
    name: "a promisor remote with a transport of its own",
    plant:
      'git config extensions.partialClone o; git config remote.o.promisor true; git config remote.o.url "ext::$PWD/payload.sh"',
    end: "refused",
  },
];

const PAYLOAD = `#!/bin/sh
touch "$RAN_AT/$(basename "$0")"
cat 2>/dev/null
exit 0
`;

/** `noticing`: the process that began before the trick. The other one starts after it and was told nothing: it must be immune by itself. */
test.each(
  CASES.flatMap((one) => [
    { ...one, noticing: true },
    { ...one, noticing: false },
  ]),
)("$name (noticing: $noticing)", async ({ before, plant, end, at, start, noticing }) => {
  using yard = new Yard(start ?? "one-commit", "tree");
  yard.write("payload.sh", PAYLOAD.replace("$RAN_AT", yard.ran), 0o755);
  if (before) yard.sh(before);
  const path = yard.env.PATH ?? "";
  yard.env.PATH = `${join(yard.top, "node_modules/.bin")}:${path}`; // as npx does
  const started = await yard.open();
  const signposts = await started.signposts();
  yard.sh(`${plant}; rm -f "$RAN"/*`);
  const ours = noticing ? started : await yard.open(undefined, at ? join(yard.top, at) : yard.top);
  yard.write("work.txt", "work\n");
  const paths = ["work.txt", "a.txt", ".gitattributes"];
  const tree = await ours.tree().catch((error: unknown) => error);
  await ours.dirty().catch(() => {});
  const wish = await yard.wish(ours, paths, noticing ? { signposts } : {});
  const committed = await ours.commit(wish);
  await ours.where().catch(() => {});
  yard.env.PATH = path;
  expect(yard.ranOnHost()).toEqual([]);
  if (!noticing) return;
  expect(committed.end).toBe(end === "arrives" ? "committed" : "refused");
  if (end === "arrives") {
    expect(tree).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(existsSync(join(yard.top, ".git/objects"))).toBe(true);
    expect(yard.git("cat-file", "-t", "HEAD:work.txt")).toBe("blob\n");
  }
});
