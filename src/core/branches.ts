// Which branches are everybody's: work starts from them and is proposed to them. Named by the settings, else by custom.
export interface Branches {
  /** Where work starts from: loops with `require_branch: base` start only here. */
  base: string[];
  /** The base and what is in production: no work of a run is at home here. */
  protected: string[];
  /** Those of them that the settings name. */
  named: string[];
}

/** `branch_base` and `production_branch` of the settings; what is not set is what such branches are usually called, and what HEAD of
 *  "origin" names. */
export function branchesOf(
  { branchBase, productionBranch }: { branchBase?: string; productionBranch?: string },
  defaultBranch?: string,
): Branches {
  const base = branchBase ? [branchBase] : BASES;
  const production = productionBranch ? [productionBranch] : PRODUCTION;
  const named = [branchBase, productionBranch].filter((name) => name !== undefined);
  const own = defaultBranch !== undefined && named.length < 2 ? [defaultBranch] : [];
  return { base, protected: [...new Set([...base, ...production, ...own])], named };
}

const BASES = ["main", "master", "trunk", "develop"];
const PRODUCTION = ["main", "master"];
