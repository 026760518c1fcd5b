// Which setups have succeeded in a workspace. A stamp says that a setup ran, not that its products are untouched.
export interface Setups {
  open(setup: Setup): OpenSetup;
}
/** Everything a stamp stands for but the lock files of the workspace, which are looked at too. */
export interface Setup {
  workspace: string;
  /** Loop and step: whose setup it is. */
  of: string;
  text: string;
  env: Record<string, string>;
  egress: string[];
  /** Engine and image. */
  sandbox: string;
}
export interface OpenSetup {
  /** When it succeeded: with this very text, variables, sandbox and lock files, and what it made in the workspace is still there. */
  doneSince(): string | undefined;
  /** Takes the stamp away, so that none is left whatever comes; to be called before the setup runs. */
  begin(): void;
  /** The last thing to be written: whole and durable. */
  succeed(): void;
}
