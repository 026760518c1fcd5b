import { expect, test } from "vitest";
import { currentUnit, fits } from "./unit.js";

test.each([
  ["Current Unit: Unit 2 - invoice-export", 1, "Unit 2 - invoice-export"],
  ["# State\n- **Current Unit**: `unit-002-x` (in progress)", 2, "unit-002-x"],
  ["| Current Unit | invoice-export |", 1, "invoice-export"],
  ["- **Current Unit:** with_low_line", 1, "with_low_line"],
  ["Current Unit: a\nlater\nCurrent Unit: b\r\n", 3, "b"],
])("%j names it in line %i", (state, at, text) => {
  expect(currentUnit(state)).toEqual({ at, text });
});

test.each([
  "",
  "Current Unit: None",
  "Current Unit: -",
  "Current Unit: N/A",
  "Current Unit:",
  "The current unit of work is a",
  "Next Unit: a",
])("%j names none", (state) => {
  expect(currentUnit(state)).toBeUndefined();
});

test("a name fits the folder that is meant, and no other", () => {
  const folders = ["invoice-export", "unit-002-invoice-export", "unit-2", "unit-002", "unit-022", "unit-003-x"];
  const fitting = (text: string) => folders.filter((folder) => fits(text, folder));
  expect(fitting("invoice-export")).toEqual(["invoice-export", "unit-002-invoice-export"]);
  expect(fitting("Unit 2 - invoice-export")).toEqual(["invoice-export", "unit-002-invoice-export"]);
  expect(fitting("Unit 3: Invoice Export")).toEqual(["invoice-export"]);
  expect(fitting("Unit 22")).toEqual(["unit-022"]);
  expect(fitting("unit-003-x")).toEqual(["unit-003-x"]);
  expect(fitting("unit-003-y")).toEqual([]);
});
