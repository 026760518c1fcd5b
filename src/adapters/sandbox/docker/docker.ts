// The Docker engine as the house knows it: its code is read when it is asked for something.
import type { EngineReport, Sandbox, SandboxPlan, Session } from "../../../ports/sandbox.js";
import type { Env } from "./socket.js";

export class Docker implements Sandbox {
  readonly engine = "docker";
  private real?: Promise<Sandbox>;

  constructor(private readonly env: Env) {}

  async probe(signal: AbortSignal, wish?: Pick<SandboxPlan["isolation"], "image" | "pull">): Promise<EngineReport> {
    return (await this.load()).probe(signal, wish);
  }
  async open(plan: SandboxPlan, signal: AbortSignal): Promise<Session> {
    return (await this.load()).open(plan, signal);
  }
  async sweep(): Promise<void> {
    await (await this.load()).sweep();
  }
  private load(): Promise<Sandbox> {
    this.real ??= import("./engine.js").then(({ DockerEngine }) => new DockerEngine(this.env));
    return this.real;
  }
}
