// What went wrong when it was not the work: told by whoever drives an agent, by its timers, exit status and events; never by prose.
export type FailureClass =
  | "limit" // the account is used up until some time
  | "overloaded" // the model's service is busy, broken or not reached
  | "auth" // no sign-in, or a wrong key
  | "billing" // the account cannot pay
  | "permission" // the client may not do what the task needs
  | "context" // the conversation is longer than the model takes
  | "refusal" // the model will not do it
  | "idle" // it said nothing at all for too long
  | "crash" // it ended in the middle of its work
  | "configuration" // it cannot work the way it is set up
  | "sandbox"
  | "judge"; // what was to judge could not

/** How a time was learned: from an event or a number, out of words, or not at all. */
export type Certainty = "told" | "read" | "guessed";
