// How this room says that the world could not do it; see the table of `sbx-…` codes in docs.
import type { ErrorRecord, Json } from "../../core/model.js";
import { FaultError } from "../../ports/errors.js";

/** `message`: what, to what. `hint`: the next command. On screen the code stands in capitals in front. */
export function trouble(code: string, message: string, hint: string, details?: Json): ErrorRecord {
  return { code, message: `${code.toUpperCase()}: ${message}`, hint, ...(details !== undefined && { details }) };
}
export function fault(code: string, message: string, hint: string, details?: Json): FaultError {
  return new FaultError(trouble(code, message, hint, details));
}
/** Something among the mounts is not what it should be: the commonest fault, and always worth a person's look. */
export function guardFault(message: string): FaultError {
  return fault(
    "sbx-guard",
    message,
    "look at what the last step wrote: `pawl log`; nothing of it was run, the tree is kept",
  );
}
