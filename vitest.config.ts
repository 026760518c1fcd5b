import { defineConfig } from "vitest/config";

/** Packages of others, further clients, a second sandbox engine, networks: minutes, so `npm run test:slow`, which CI runs too. */
const SLOW = [
  "test/real/*.test.ts",
  "test/clients/{acp,codex,conformance}.test.ts",
  "test/journeys/{doer-commits,failures,llm,steps-setup}.test.ts",
  "test/sandbox/docker.test.ts",
  "test/crash/doer.test.ts", // the other bodies' kills are in npm test
];
const ALL = ["src/**/*.test.ts", "test/**/*.test.ts", "testing/**/*.test.ts"];
const isSlow = process.env.PAWL_SLOW !== undefined;

export default defineConfig({
  test: {
    include: isSlow ? SLOW : ALL,
    exclude: ["**/node_modules/**", ...(isSlow ? [] : SLOW)],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3, // two cores: a test mostly waits for the programs it has started
  },
});
