import { expect, test } from "vitest";
import { programOf } from "../surfaces/cli/program.js";
import { chooseLoader, clashOf, OWN_OPTIONS } from "./loaders.js";

const page = { value: "PAGE", about: "a page" };
const wiki = { name: "wiki", options: { "wiki-page": page, "wiki-depth": { value: "N", about: "how deep" } } };
const plan = { name: "plan", options: { plan: { value: "FILE", about: "a plan", default: null } } };
const choose = (words: string[], given: Record<string, string> = {}) => chooseLoader([plan, wiki], { given, words });

test("the loader whose option is given is chosen, with all of its options", () => {
  expect(choose(["--wiki-page", "Home", "--wiki-depth=2"])).toEqual({
    loader: wiki,
    options: { "wiki-page": "Home", "wiki-depth": "2" },
  });
  expect(choose([], { plan: "p.md" })).toEqual({ loader: plan, options: { plan: "p.md" } });
  expect(choose([])).toBeUndefined();
});

test.each([
  [["--code", "x"], "unknown-option", /unknown option "--code"/],
  [["x"], "unknown-option", /too many arguments: nothing takes "x"/],
  [["--wiki-page"], "unknown-option", /"--wiki-page" needs a value: --wiki-page PAGE/],
  [["--wiki-page", ""], "unknown-option", /needs a value/],
  [["--wiki-page=a", "--plan=b"], "two-loaders", /"--plan" \(loader "plan"\) and "--wiki-page" \(loader "wiki"\)/],
])("%j is refused as %s", (words, code, message) => {
  expect(choose(words)).toMatchObject({ code, message: expect.stringMatching(message) });
});

test("an option that is added twice, is Pawl's own or has a default is refused with its owners", () => {
  expect(clashOf([plan, wiki])).toBeUndefined();
  const twin = { name: "twin", options: { "wiki-page": page } };
  expect(clashOf([wiki, twin])?.message).toBe(
    'the option "--wiki-page" is added by the loader "wiki" and by the loader "twin"',
  );
  expect(clashOf([{ name: "w", options: { "dry-run": page } }])?.message).toMatch(
    /pawl run itself and by the loader "w"/,
  );
  for (const value of ["", 0, false, "Home"])
    expect(clashOf([{ name: "w", options: { page: { ...page, default: value } } }])?.code).toBe("loader-default");
});

test("the options of pawl run that no loader may take are those it has", () => {
  const desk = { out: () => undefined, err: () => undefined } as never; // only its streams are asked for
  const program = programOf(desk, "0", () => undefined);
  const run = program.commands.find((command) => command.name() === "run");
  const own = [...(run?.options ?? []), ...program.options].map((option) => option.long?.slice(2) ?? "");
  const loaders = ["plan", "aidlc-unit"];
  expect(new Set([...own.filter((name) => !loaders.includes(name)), "help"])).toEqual(new Set(OWN_OPTIONS));
});
