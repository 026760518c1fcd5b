// Looks for keys and passwords in what is about to be committed. A finding names the place and the rule, never the value.
import type { Finding } from "../../core/model.js";

interface Rule {
  name: string;
  pattern: RegExp;
}

// Prefixes the issuers chose so that scanners can find them; guesses by entropy would stop honest work.
const RULES: Rule[] = [
  { name: "private key", pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: "AWS access key", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { name: "AWS secret key", pattern: /\baws_secret_access_key["']?\s*[:=]\s*["']?[A-Za-z0-9/+]{40}\b/gi },
  { name: "GitHub token", pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{50,255}\b/g },
  { name: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T[A-Za-z0-9/]{20,}/g },
  { name: "Anthropic key", pattern: /\bsk-ant-[A-Za-z0-9_-]{20,}/g },
  { name: "OpenAI key", pattern: /\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}/g },
  { name: "Google key", pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { name: "Stripe key", pattern: /\b[sr]k_live_[0-9A-Za-z]{20,}/g },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
];
const ENV_RULE: Rule = {
  name: "value in an .env file",
  pattern: /^[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*[ \t]*=[ \t]*["']?[^\s"'#].*$/gm,
};

/** Findings of one file; the first tell enough. */
const SECRETS_MAX = 10;

/** What `before`, the file as it is committed already, holds too is nothing new. */
export function findSecrets(path: string, bytes: Buffer, before?: Buffer): Finding[] {
  const known = new Set(before ? matches(path, before.toString("latin1")).map((one) => one.value) : []);
  const text = bytes.toString("latin1");
  return matches(path, text)
    .filter((one) => !known.has(one.value))
    .slice(0, SECRETS_MAX)
    .map((one) => {
      const where = `${path}:${text.slice(0, one.index).split("\n").length}`;
      return { text: `looks like a secret (${one.rule})`, where, rule: one.rule, severity: "error" };
    });
}

function matches(path: string, text: string): { rule: string; value: string; index: number }[] {
  const rules = isEnvFile(path) ? [...RULES, ENV_RULE] : RULES;
  return rules
    .flatMap((rule) =>
      [...text.matchAll(rule.pattern)].map((found) => ({ rule: rule.name, value: found[0], index: found.index })),
    )
    .filter((one) => !/EXAMPLE/.test(one.value)) // the documented samples
    .sort((a, b) => a.index - b.index);
}

function isEnvFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /^\.env(\..+)?$/.test(name) && !/\.(example|sample|template|dist|defaults?)$/.test(name);
}
