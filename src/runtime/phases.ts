// Which phase a person means: by its slug, an older slug or its position among the phases. Looks only.
import type { Flow } from "../core/model.js";
import { Refusal } from "../ports/errors.js";
import type { House, PhaseFolder } from "../ports/house.js";

/** Phases named in one message. */
const NAMED_MAX = 20;

/** Throws a Refusal that names the argument where none, or more than one, is meant. */
export async function phaseNamed(house: House, asked: string): Promise<PhaseFolder> {
  const all = await house.phases();
  const found =
    all.find(({ slug }) => slug === asked) ??
    only(asked, /^[1-9]\d*$/.test(asked) ? all.filter(({ position }) => position === Number(asked)) : []) ??
    only(
      asked,
      all.filter(({ former }) => former.includes(asked)),
    );
  if (found) return found;
  const names = all.slice(0, NAMED_MAX).map(({ slug, position }) => `${slug}${position ? ` (${position})` : ""}`);
  const hint = names.length ? `there are: ${names.join(", ")}` : `write .pawl/jobs/PHASE/PLAN.md first`;
  throw new Refusal("unknown-phase", `there is no phase ${JSON.stringify(asked)}`, hint, 2);
}

function only(asked: string, found: PhaseFolder[]): PhaseFolder | undefined {
  if (found.length < 2) return found[0];
  const names = found.map(({ slug }) => `"${slug}"`).join(" and ");
  throw new Refusal("ambiguous-phase", `${JSON.stringify(asked)} could be ${names}`, "name one by its slug", 2);
}

/** Of a job that is a phase; only loops that have phases ask. */
export async function positionIn(house: House, flow: Flow, job: string): Promise<number | undefined> {
  if (flow.restart !== "archive") return undefined;
  return (await house.phases()).find(({ slug }) => slug === job)?.position;
}

/** Other loops know no phase: saying one to them is a slip. */
export function refusePhase(flow: Flow): void {
  if (flow.restart === "archive") return;
  throw new Refusal("no-phases", `loop "${flow.name}" works on no phase; --phase is for doer loops`, undefined, 2);
}
