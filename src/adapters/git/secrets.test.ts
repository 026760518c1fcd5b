import { expect, test } from "vitest";
import { findSecrets } from "./secrets.js";

const find = (path: string, text: string, before?: string) =>
  findSecrets(path, Buffer.from(text), before === undefined ? undefined : Buffer.from(before));
const x = (count: number) => "aB3".repeat(count).slice(0, count);

// Put together here, so that no scanner of this repository takes them for real.
test.each([
  ["private key", `-----BEGIN ${"RSA PRIVATE"} KEY-----`],
  ["AWS access key", `AKIA${"Q7".repeat(8)}`],
  ["AWS secret key", `aws_secret_access_key = "${x(40)}"`],
  ["GitHub token", `ghp_${x(36)}`],
  ["GitHub token", `github_pat_${x(60)}`],
  ["GitLab token", `glpat-${x(20)}`],
  ["Slack token", `xoxb-${x(20)}`],
  ["Anthropic key", `sk-ant-${x(40)}`],
  ["OpenAI key", `sk-proj-${x(40)}`],
  ["Google key", `AIza${x(35)}`],
  ["Stripe key", `sk_live_${x(24)}`],
  ["npm token", `npm_${x(36)}`],
])("a %s is found, named by line and rule, and never shown", (rule, value) => {
  const found = find("src/a.ts", `first\nconst k = '${value}';\n`);
  expect(found).toEqual([{ text: `looks like a secret (${rule})`, where: "src/a.ts:2", rule, severity: "error" }]);
  expect(JSON.stringify(found)).not.toContain(value);
});

test("values of an .env file are secrets, its samples and empty keys are not", () => {
  expect(find("app/.env", "# c\nA=\nexport B='x'\n")).toMatchObject([{ where: "app/.env:3" }]);
  expect(find(".env.production", "A=1\n")).toHaveLength(1);
  for (const path of [".env.example", ".env.sample", "env.ts", "x.env.md"]) expect(find(path, "A=1\n")).toEqual([]);
});

test("what is committed already is nothing new, and documented samples are none", () => {
  const old = `ghp_${x(36)}`;
  expect(find("a", `${old}\nmore\n`, old)).toEqual([]);
  expect(find("a", `ghp_${"z".repeat(36)}\n${old}`, old)).toHaveLength(1);
  expect(find("a", "AKIAIOSFODNN7EXAMPLE")).toEqual([]);
});

test("the first ten of a file are enough, and a large file without any is quick", () => {
  expect(find(".env", "A=1\n".repeat(50))).toHaveLength(10);
  const start = performance.now();
  expect(find("big", "sk-a_".repeat(200_000).replaceAll("sk-", "s k"))).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});
