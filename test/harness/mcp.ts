// A client of `pawl mcp`: the official one, over stdio, of either protocol generation.

import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { PACKAGE, type Repository } from "./repository.js";

export interface Said {
  /** What a client that shows text shows. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  data: any;
  isError: boolean;
  ms: number;
}
export type Generation = "auto" | "legacy";
/** What the person does when the client shows them a question. */
export type Asked = (
  message: string,
) => { action: "accept"; content: Record<string, string> } | { action: "decline" | "cancel" };

export class Ide implements AsyncDisposable {
  private constructor(
    readonly client: Client,
    private readonly transport: StdioClientTransport,
  ) {}

  static async open(
    repository: Repository,
    how: {
      generation?: Generation;
      cwd?: string;
      asked?: Asked;
      roots?: string[];
      env?: Record<string, string>;
      client?: string;
    } = {},
  ): Promise<Ide> {
    const capabilities = { ...(how.asked ? { elicitation: { form: {} } } : {}), ...(how.roots ? { roots: {} } : {}) };
    const client = new Client(
      { name: how.client ?? "test", version: "1" },
      { capabilities, versionNegotiation: { mode: how.generation ?? "auto" } },
    );
    const { asked, roots } = how;
    if (asked) client.setRequestHandler("elicitation/create", async ({ params }) => asked(params.message));
    if (roots)
      client.setRequestHandler("roots/list", async () => ({ roots: roots.map((path) => ({ uri: `file://${path}` })) }));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(PACKAGE, "dist", "pawl.js"), "mcp"],
      cwd: how.cwd ?? repository.folder,
      env: { PATH: process.env.PATH ?? "", HOME: repository.home, LANG: "C.UTF-8", USER: "tester", ...how.env },
      stderr: "pipe",
    });
    await client.connect(transport);
    return new Ide(client, transport);
  }

  get pid(): number {
    return this.transport.pid ?? 0;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Said> {
    const since = performance.now();
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: args });
    const [part] = content as { type: string; text?: string }[];
    return {
      text: part?.text ?? "",
      data: structuredContent,
      isError: isError === true,
      ms: performance.now() - since,
    };
  }

  /** Asks until nobody is at work on the run any more. */
  async settled(): Promise<Said> {
    for (;;) {
      const said = await this.call("loop_status");
      if (!/at work on it since/.test(said.text)) return said;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
