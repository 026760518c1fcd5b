// Who does agent work, and what confines it: settings a flow carries for its workers. The engine never looks at them.

/** The named agent a worker uses. `use` chooses the adapter; the rest is for that adapter. */
export interface Performer {
  use: string;
  run?: string;
  command?: string;
  model?: string;
  /** Tools it may use, in the client's own words; absent: those the client gives. */
  tools?: string[];
  args?: string[];
  /** NAME: a value, or {from: HOST_NAME}: read from Pawl's own environment when the step starts, never stored. */
  env?: Record<string, string | { from: string }>;
  access?: "read" | "write";
  timeoutMs?: number;
  /** Tokens its prompt may have; what does not fit becomes a pointer. */
  promptTokens?: number;
  /** Another performer of the loop, who goes on where this one cannot. */
  fallback?: string;
  /** Of the built-in agent: where its model is, the variable that holds the key (never the key), the wire format, the limit of a call. */
  baseUrl?: string;
  keyEnv?: string;
  api?: "openai" | "anthropic";
  callTimeoutMs?: number;
}
export interface Isolation {
  engine: "auto" | "bubblewrap" | "docker";
  memoryBytes: number;
  processes: number;
  cpus: number;
  scratchBytes: number;
  outputBytes: number;
  diskFloorBytes: number;
  protect: string[];
  mounts: { path: string; access: "read" | "write" }[];
  env: Record<string, string | { from: string }>;
  require: Record<string, "kernel" | "process" | "none">;
  /** "host": the machine's own programs; else the name of an image, which only Docker takes. Absent (older runs): "host". */
  image?: string;
  /** When an image is fetched. Absent (older runs): "missing". */
  pull?: "missing" | "never" | "always";
  /** `host:port` that a `setup` may reach, nobody else. Absent (older runs): none. */
  egress?: string[];
}
