import { expect, test } from "vitest";
import { branchesOf } from "./branches.js";

test("the settings name the branches; what they leave out is called as it usually is", () => {
  expect(branchesOf({})).toEqual({
    base: ["main", "master", "trunk", "develop"],
    protected: ["main", "master", "trunk", "develop"],
    named: [],
  });
  expect(branchesOf({ branchBase: "next" })).toEqual({
    base: ["next"],
    protected: ["next", "main", "master"],
    named: ["next"],
  });
  expect(branchesOf({ branchBase: "next", productionBranch: "live" })).toEqual({
    base: ["next"],
    protected: ["next", "live"],
    named: ["next", "live"],
  });
  expect(branchesOf({ branchBase: "next", productionBranch: "live" }, "live").protected).toEqual(["next", "live"]);
  expect(branchesOf({}, "devel").protected).toContain("devel");
  expect(branchesOf({ productionBranch: "live" }).protected).toEqual(["main", "master", "trunk", "develop", "live"]);
});
