// Only what tests the engine, with few tries of each property: mutants are many, and each must be judged quickly.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/core/run*.test.ts", "src/core/pay.test.ts", "src/core/place.test.ts"],
    env: { PAWL_PROPERTY_RUNS: "25" },
    testTimeout: 10_000,
    pool: "threads",
    maxWorkers: 1,
  },
});
