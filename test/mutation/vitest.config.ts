// Only what tests the engine, with few tries of each property: mutants are many, and each must be judged quickly.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/mutation/engine.ts"],
    env: { PAWL_PROPERTY_RUNS: "8" },
    testTimeout: 10_000,
    pool: "threads",
    maxWorkers: 1,
  },
});
