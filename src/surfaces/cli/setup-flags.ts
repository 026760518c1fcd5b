// The flags of pawl init and pawl upgrade. Every question has one.

export interface SetupFlags {
  ides?: string[];
  branchBase?: string;
  productionBranch?: string;
  agent?: string;
  skills?: string[];
  hook?: boolean;
  command?: string[];
  yes?: boolean;
  check?: boolean;
  remove?: boolean;
}
