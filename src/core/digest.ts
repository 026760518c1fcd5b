// What the digest of a flow is taken over: everything it holds but the digest itself, in the order it was written.
import type { Flow } from "./model.js";

export const digestOf = (flow: Flow, sha256: (text: string) => string): string =>
  sha256(JSON.stringify({ ...flow, digest: "" }));
