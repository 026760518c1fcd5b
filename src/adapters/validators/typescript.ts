// Registered with `node --import`: lets this Node run `.ts` validators by taking their types away. Types are not checked.
import { readFileSync } from "node:fs";
import { type LoadHook, register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transform } from "sucrase";

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!/\.m?ts$/.test(url)) return nextLoad(url, context);
  const { code } = transform(readFileSync(fileURLToPath(url), "utf8"), {
    transforms: ["typescript"],
    disableESTransforms: true,
  });
  return { format: "module", source: code, shortCircuit: true };
};

/** `./a.js` in a TypeScript file may mean `./a.ts`; `./a.ts` means itself. */
if (isMainThread) register(import.meta.url);
