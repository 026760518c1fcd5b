export interface Call {
  tool: string;
  input: unknown;
}
export interface Step {
  text?: string;
  calls?: (Call | { anyOf: Call[] })[];
  status?: number;
  body?: unknown;
  hangMs?: number;
  usage?: { input: number; output: number };
}
export interface Scenario {
  name: string;
  /** A regular expression; the one that stands last in the newest prompt decides. */
  match: string;
  steps: (Step | ((heard: { prompt: string; conversation: unknown }) => Step))[];
}
export interface ModelRequest {
  api: string | null;
  model?: string;
  /** The first characters of the key that came along. */
  auth?: string;
  /** The newest message, where tool results stand. */
  last?: unknown;
  scenario?: string | null;
  step?: number;
  missing?: boolean;
  /** All markers of all prompts in the request, oldest first: what the client remembers. */
  markers?: string[];
  tools?: string[];
  calls?: string[];
}
export interface FakeModels {
  port: number;
  url: string;
  requests: ModelRequest[];
  scenarios: Scenario[];
  close(): Promise<void>;
}
export interface FakeModelsOptions {
  scenarios?: Scenario[];
  port?: number;
  usage?: { input: number; output: number };
  delayMs?: number;
  logPath?: string;
  dumpFolder?: string;
  refuse?: (count: number, conversation: unknown) => { status: number; body?: unknown } | undefined;
}
export function startFakeModels(options?: FakeModelsOptions): Promise<FakeModels>;
