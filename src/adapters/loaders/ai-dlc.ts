// The documents of one unit of an AI-DLC project: `aidlc-docs/construction/UNIT/`, with the plans that are named after it. A unit is a
// folder; older projects call it `invoice-export`, newer ones `unit-002-invoice-export`. Nothing is guessed: whoever names no folder
// is told which there are.
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { Refusal } from "../../ports/errors.js";
import type { Brought, Loader, LoaderTask } from "../../ports/loader.js";
import { currentUnit, fits, type Line } from "./unit.js";
import { UNIT_FILES_MAX, Yard } from "./yard.js";

const DOCS = "aidlc-docs";
const STATE = `${DOCS}/aidlc-state.md`;
const CONSTRUCTION = `${DOCS}/construction`;
const PLANS = `${CONSTRUCTION}/plans`;
/** Folders below the construction folder that are no units. */
const NO_UNITS = ["plans", "build-and-test"];
/** What every unit builds on; shown where it is there. */
const SHARED = [
  `${DOCS}/inception/requirements/requirements.md`,
  `${DOCS}/inception/application-design/unit-of-work.md`,
];

export const aiDlc: Loader = {
  name: "ai-dlc",
  options: {
    "aidlc-unit": { value: "UNIT", about: "the unit of an AI-DLC project, by its folder's name", default: null },
  },
  defaultable: ({ workspace }) => new Yard(workspace).folders(DOCS) !== undefined,
  load: async (task) => loadUnit(task),
};

function loadUnit({ workspace, options }: LoaderTask): Brought {
  const yard = new Yard(workspace);
  const units = (yard.folders(CONSTRUCTION) ?? []).filter((name) => !NO_UNITS.includes(name));
  const asked = options["aidlc-unit"];
  const { unit, from } = asked === undefined ? detected(yard, units) : { unit: named(units, asked), from: undefined };
  const plans = (yard.files(PLANS) ?? []).filter((path) => isPlanOf(path.slice(PLANS.length + 1), unit, units));
  const own = yard.files(`${CONSTRUCTION}/${unit}`) ?? [];
  const paths = [...plans, ...own].filter((path) => path.endsWith(".md"));
  if (paths.length > UNIT_FILES_MAX) throw tooMany(unit, paths.length);
  const documents = read(yard, paths);
  const shared = documents.length
    ? read(
        yard,
        SHARED.filter((path) => yard.has(path)),
      )
    : []; // a unit without documents is empty
  const missing = missingOf(unit, plans, own);
  return {
    subject: `unit ${unit}`,
    documents: [...documents, ...shared],
    notes: [
      ...(from ? [`unit "${unit}", because ${STATE}:${from.at} says "${from.text}"`] : []),
      ...missing.map((each) => `expected and not there: ${each}`),
    ],
  };
}

/** `unit-1` is no plan of `unit-10`, and a longer unit's plan is none of a shorter one's. */
function isPlanOf(name: string, unit: string, units: string[]): boolean {
  const owns = (each: string) => name === `${each}.md` || name.startsWith(`${each}-`) || name.startsWith(`${each}/`);
  return owns(unit) && !units.some((other) => other.length > unit.length && owns(other));
}

function read(yard: Yard, paths: string[]): Brought["documents"] {
  return paths.flatMap((path) => {
    const text = yard.text(path, ARTIFACT_BYTES_MAX);
    return text.trim() === "" ? [] : [{ path, text }];
  });
}

function missingOf(unit: string, plans: string[], own: string[]): string[] {
  const isInside = (folder: string) => own.some((path) => path.startsWith(`${CONSTRUCTION}/${unit}/${folder}/`));
  return [
    ...(plans.length ? [] : [`${PLANS}/${unit}-code-generation-plan.md`]),
    ...(isInside("functional-design") ? [] : [`${CONSTRUCTION}/${unit}/functional-design/`]),
  ];
}

/** By the whole name of the folder; no alias, no spelling. */
function named(units: string[], asked: string): string {
  if (units.includes(asked)) return asked;
  throw new Refusal(
    "unknown-unit",
    `there is no unit "${asked}" in ${CONSTRUCTION}${listed(units)}`,
    "give the whole name of a folder with --aidlc-unit",
  );
}

function detected(yard: Yard, units: string[]): { unit: string; from: Line } {
  const state = yard.has(STATE) ? yard.text(STATE, ARTIFACT_BYTES_MAX) : "";
  const from = currentUnit(state);
  const whole = from ? units.filter((unit) => unit === from.text) : [];
  const found = whole.length || !from ? whole : units.filter((unit) => fits(from.text, unit));
  const [unit] = found;
  if (from && unit !== undefined && found.length === 1) return { unit, from };
  const why = !from
    ? `${STATE} names no current unit`
    : `${STATE}:${from.at} says "${from.text}", which ${found.length ? `fits ${found.join(" and ")}` : "is no folder"}`;
  const told = units.map((each) => `\n  ${each}: ${speaksFor(yard, each, state, units)}`).join("");
  throw new Refusal(
    "unit-unclear",
    `which unit of ${CONSTRUCTION} is meant? ${why}${told || "; there is no unit's folder"}`,
    "give one with --aidlc-unit UNIT, or take the documents from elsewhere with --plan FILE",
  );
}

/** What speaks for a candidate: what it holds, and where the state mentions it. */
function speaksFor(yard: Yard, unit: string, state: string, units: string[]): string {
  const own = (yard.files(`${CONSTRUCTION}/${unit}`) ?? []).filter((path) => path.endsWith(".md"));
  const plans = (yard.files(PLANS) ?? []).filter((path) => isPlanOf(path.slice(PLANS.length + 1), unit, units));
  const at = state.split("\n").findIndex((line) => line.includes(unit));
  const mention = at < 0 ? "not in the state file" : `in line ${at + 1} of the state file`;
  return `${own.length} documents, ${plans.length} plans, ${mention}`;
}

const listed = (units: string[]): string => (units.length ? `; there are: ${units.join(", ")}` : "; there is none");

const tooMany = (unit: string, count: number): Refusal =>
  new Refusal(
    "too-many-documents",
    `the unit "${unit}" has ${count} documents; at most ${UNIT_FILES_MAX} are shown to agents`,
    "name one of them with --plan FILE",
  );
