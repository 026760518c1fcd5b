import type { Scenario } from "./fake-models/server.mjs";

export function deedsIn(workspace: string): Scenario[];
export function dev(
  step: string,
  editsByVisit: Record<string, string>[],
  options: { workspace: string; says?: string },
): Scenario;
export function review(step: string, reportsByVisit: string[], options?: { says?: string }): Scenario;
export function qa(step: string, command: string, reportsByVisit: string[], options?: { says?: string }): Scenario;
export function hosted(name: string, how: { loop: string; missing: string }): Scenario & { told: string[] };
export function asking(name: string, how: { loop: string }): Scenario & { told: string[] };
export function reportPath(prompt: string): string | undefined;
