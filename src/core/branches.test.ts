import { expect, test } from "vitest";
import { branchesOf } from "./branches.js";

test("the settings name the branches; what they leave out is called as it usually is", () => {
  expect(branchesOf({})).toEqual({
    base: ["main", "master", "trunk", "develop"],
    protected: ["main", "master", "trunk", "develop"],
  });
  expect(branchesOf({ branchBase: "next" })).toEqual({ base: ["next"], protected: ["next", "main", "master"] });
  expect(branchesOf({ branchBase: "next", productionBranch: "live" })).toEqual({
    base: ["next"],
    protected: ["next", "live"],
  });
  expect(branchesOf({ productionBranch: "live" }).protected).toEqual(["main", "master", "trunk", "develop", "live"]);
});
