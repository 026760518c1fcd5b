import type { Call } from "./fake-models/server.mjs";

export function writeFile(path: string, content: string): { anyOf: Call[] };
export function runCommand(line: string, description?: string): { anyOf: Call[] };
export function callMcp(tool: string, input: unknown): Call;
export function findTool(name: string): Call;
