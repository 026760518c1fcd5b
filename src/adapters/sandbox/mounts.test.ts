import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Isolation } from "../../core/model.js";
import type { SandboxPlan } from "../../ports/sandbox.js";
import { mountPlan } from "./mounts.js";
import { readSignposts } from "./signposts.js";

let root = "";
let workspace = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-mounts-")));
  workspace = join(root, "ws");
  for (const folder of [".git/pawl/visit", "ci/deep", "src"]) mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "ci/deep/check.sh"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** One line a mount: "rw PATH", "ro PATH" or "-- PATH", below the workspace. */
function lay(change: Partial<SandboxPlan> = {}, mounts: Isolation["mounts"] = []): string[] {
  const isolation = { mounts } as Isolation; // the rest is not of the disk
  const plan: SandboxPlan = {
    ...{ run: "r", visit: "v", workspace, access: "write", signposts: readSignposts(workspace) },
    ...{ state: join(workspace, ".git/pawl"), artifacts: join(workspace, ".git/pawl/visit") },
    ...{ earlier: [], protect: [], readable: [], isolation },
    ...change,
  };
  const { mounts: laid, release } = mountPlan(plan);
  release();
  return laid.map((mount) => {
    const kind = mount.kind === "empty" ? "--" : mount.write ? "rw" : "ro";
    return `${kind} ${mount.target.replace(workspace, ".")}`;
  });
}
const guard = expect.objectContaining({ record: expect.objectContaining({ code: "sbx-guard" }) });
const inGit = ["-- ./.git/pawl", "rw ./.git/pawl/visit"];

it("lays the workspace, its git read-only, a cover over the working home, the artifacts on top", () => {
  expect(lay()).toEqual(["rw .", "ro ./.git", ...inGit]);
});
it("gives a reviewer the same, read-only", () => {
  expect(lay({ access: "read", protect: ["ci"] })).toEqual(["ro .", "ro ./.git", ...inGit]);
});
it("holds every folder above a protected path, and passes over what is absent", () => {
  const held = ["rw ./ci", "-- ./.git/pawl", "rw ./ci/deep", "ro ./ci/deep/check.sh", "rw ./.git/pawl/visit"];
  expect(lay({ protect: ["ci/deep/check.sh", "gone"] })).toEqual(["rw .", "ro ./.git", ...held]);
});
it("does not open a protected folder for a protected path in it", () => {
  expect(lay({ protect: ["ci/deep/check.sh", "ci"] })).toEqual(["rw .", "ro ./ci", "ro ./.git", ...inGit]);
});
it("covers a working home below a protected folder after that folder", () => {
  const artifacts = join(workspace, ".pawl/local/visit");
  mkdirSync(artifacts, { recursive: true });
  const laid = lay({ state: dirname(artifacts), artifacts, protect: [".pawl"] });
  expect(laid).toEqual(["rw .", "ro ./.pawl", "ro ./.git", "-- ./.pawl/local", "rw ./.pawl/local/visit"]);
});
it("narrows a writable mount of the author by the workspace's own rules", () => {
  expect(lay({}, [{ path: root, access: "write" }])[0]).toBe(`rw ${root}`);
  expect(() => lay({ protect: ["ci"] }, [{ path: join(workspace, "ci/deep"), access: "write" }])).toThrow(guard);
  expect(() => lay({}, [{ path: join(workspace, ".git"), access: "write" }])).toThrow(guard);
  expect(lay({ access: "read" }, [{ path: join(workspace, "src"), access: "write" }])).toContain("ro ./src");
});
it.each([
  "/",
  "/home",
  "/root",
  homedir(),
  dirname(homedir()),
  "/run",
  "/var",
  "/etc",
  "/proc/self",
  "/dev",
  "src",
  "/nowhere",
])("never mounts %s", (path) => {
  expect(() => lay({}, [{ path, access: "read" }])).toThrow(guard);
});
it("never makes the system writable", () => {
  expect(() => lay({}, [{ path: "/usr/share", access: "write" }])).toThrow(guard);
});
it.each(["..", "../ws", "/etc", "."])("takes %s for no protected path", (path) => {
  expect(() => lay({ protect: [path] })).toThrow(guard);
});
it("follows no link, neither at the end of a path nor on the way", () => {
  symlinkSync(join(workspace, "src"), join(root, "link"));
  symlinkSync(root, join(root, "way"));
  for (const path of ["link", "way/ws/src"]) expect(() => lay({ readable: [join(root, path)] })).toThrow(guard);
});
it("does not start on a home", () => {
  const artifacts = join(workspace, ".git/pawl/visit");
  expect(() => lay({ workspace: homedir(), artifacts, signposts: readSignposts(homedir()) })).toThrow(guard);
});
it("leaves no guard behind when the plan is refused", () => {
  rmSync(join(workspace, ".git"), { recursive: true });
  expect(() => lay({ artifacts: join(workspace, "gone") })).toThrow(guard);
  expect(readSignposts(workspace)).toEqual({});
});
it("refuses a .git file that sends git to something that is no git folder", () => {
  rmSync(join(workspace, ".git"), { recursive: true });
  writeFileSync(join(workspace, ".git"), `gitdir: ${root}\n`);
  expect(() => lay({ artifacts: join(workspace, "src") })).toThrow(guard);
});
it("refuses when a signpost is not what it was", () => {
  const signposts = readSignposts(workspace);
  writeFileSync(join(workspace, ".git/commondir"), "/tmp\n");
  expect(() => lay({ signposts })).toThrow(/commondir" is not what it was/);
});
