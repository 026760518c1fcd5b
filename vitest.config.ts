import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "testing/**/*.test.ts"],
    exclude: ["test/slow/**", "**/node_modules/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3, // two cores: a test mostly waits for the programs it has started
  },
});
