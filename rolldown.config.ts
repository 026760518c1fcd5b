import { defineConfig } from "rolldown";

/** The program, bundled: a command line starts in a fraction of the time its modules would take one by one. */
export default defineConfig({
  input: {
    pawl: "src/pawl.ts",
    index: "src/index.ts",
    testing: "testing/index.ts",
    typescript: "src/adapters/validators/typescript.ts",
  },
  platform: "node",
  transform: { target: "node20" },
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: true,
    cleanDir: true,
  },
});
