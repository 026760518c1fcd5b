// The loaders Pawl ships. A loader of an extension stands beside them and has the same shape.
import type { Loader } from "../../ports/loader.js";
import { aiDlc } from "./ai-dlc.js";
import { plan } from "./plan.js";

export const BUNDLED: readonly Loader[] = [plan, aiDlc];
