// Which branches are everybody's: work starts from them and is proposed to them. Named by the settings, else by custom.
export interface Branches {
  /** Where work starts from: loops with `require_branch: base` start only here. */
  base: string[];
  /** The base and what is in production: no work of a run is at home here. */
  protected: string[];
}

/** `branch_base` and `production_branch` of the settings; what is not set is what such branches are usually called. */
export function branchesOf(named: { branchBase?: string; productionBranch?: string }): Branches {
  const base = named.branchBase ? [named.branchBase] : BASES;
  const production = named.productionBranch ? [named.productionBranch] : PRODUCTION;
  return { base, protected: [...new Set([...base, ...production])] };
}

const BASES = ["main", "master", "trunk", "develop"];
const PRODUCTION = ["main", "master"];
