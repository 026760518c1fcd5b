// The four answers in short words, for scripts and expectations.
import type { Finding, Verdict } from "../src/core/model.js";

/** `pass()`, `pass("approved")`, `pass("optional", [warning("coverage is low")])`. */
export const pass = (outcome?: string, findings: Finding[] = []): Verdict => ({
  status: "pass",
  findings,
  ...(outcome ? { outcome } : {}),
});

/** One complaint whose text is its fingerprint too: `block("2 tests failed")`, `block("x", { evidence: { loop, tree } })`. */
export const block = (text: string, more: Partial<Verdict> = {}): Verdict => ({
  status: "block",
  findings: [error(text)],
  print: text,
  ...more,
});

/** What a hook says that has to look again later. */
export const wait = (text = "a signal"): Verdict => ({ status: "wait", findings: [error(text)] });

/** What a hook says that has nothing to do here. */
export const skip = (): Verdict => ({ status: "skip", findings: [] });

export const error = (text: string): Finding => ({ text, severity: "error" });
export const warning = (text: string): Finding => ({ text, severity: "warning" });
