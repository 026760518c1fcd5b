// Who knows of the pull requests of a repository. Asked before Pawl pushes anything.
export interface PullRequests {
  /** Is a pull request open that merges this branch? `gitDir` is a git folder of ours that knows the remote and nothing else of the
   *  repository. Must be bounded in time. Must not throw: `unknown` says why it cannot be told. */
  isOpen(at: { branch: string; gitDir: string }): Promise<{ open: boolean } | { unknown: string }>;
}
