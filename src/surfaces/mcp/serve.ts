// pawl mcp: the tools, prompts and resources of Pawl over stdio, for clients of both protocol generations. It keeps no state: every
// call reads the repository anew, so a second server, a terminal and this one see the same run.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { Refusal } from "../../core/refusal.js";
import { FaultError } from "../../ports/errors.js";
import { answer } from "../../runtime/hand-in.js";
import { activeOrRefuse, type Standing, standingOf } from "../../runtime/hosted.js";
import { lookAt } from "../../runtime/open.js";
import { resultOf } from "../../runtime/result.js";
import type { McpDesk, McpHouse } from "./desk.js";
import { instructionOf } from "./texts.js";
import { type Call, type Said, TOOLS, type ToolDef } from "./tools.js";
import { foldersOf, houseFor } from "./workspace.js";

/** Bytes of one message: an agent that pastes a whole log is told so, not cut off. */
const MESSAGE_BYTES_MAX = 64 << 20;

const ROOT = z
  .string()
  .optional()
  .describe("Absolute path of the repository; by default the client's root, or the folder the server was started in.");

/** Serves until the client closes its end. Returns the exit code. */
export async function serve(desk: McpDesk): Promise<number> {
  const transport = new StdioServerTransport(desk.input, desk.output, { maxBufferSize: MESSAGE_BYTES_MAX });
  const over = new Promise<void>((resolve) => {
    desk.input.once("close", resolve);
    desk.input.once("end", resolve);
    desk.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const onerror = (error: Error) => desk.err(`mcp: ${error.message}\n`);
  const handle = serveStdio(() => serverOf(desk), { transport, onerror });
  await over;
  await handle.close();
  return 0;
}

function serverOf(desk: McpDesk): McpServer {
  const server = new McpServer(
    { name: "pawl", title: "Pawl", version: desk.version },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const place = new Place(desk, server);
  for (const [name, def] of Object.entries(TOOLS)) registerTool(server, place, name, def);
  registerPrompts(server, place);
  registerRuns(server, place);
  return server;
}
const INSTRUCTIONS =
  "Pawl drives a process: it hands you one skill at a time. Do the current skill, report it with loop_advance, and stop while a run is paused.";

type Out = Awaited<ReturnType<Parameters<McpServer["registerTool"]>[2]>>;

function registerTool(server: McpServer, place: Place, name: string, def: ToolDef): void {
  const config = {
    title: def.title,
    description: def.description,
    inputSchema: z.object({ ...def.input, workspace_root: ROOT }),
    annotations: {
      title: def.title,
      readOnlyHint: def.looks,
      destructiveHint: false,
      idempotentHint: def.looks,
      openWorldHint: false,
    },
    _meta: { "anthropic/alwaysLoad": true }, // or Claude Code hides it behind its tool search
  };
  server.registerTool(name, config, async (input: Record<string, unknown>, ctx) => {
    try {
      return await called(place, def, input, ctx);
    } catch (error) {
      return troubled(error);
    }
  });
}

async function called(place: Place, def: ToolDef, input: Record<string, unknown>, ctx: ServerContext): Promise<Out> {
  const asked = typeof input.workspace_root === "string" ? input.workspace_root : undefined;
  if (place.wantsRoots(ctx, asked))
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }) as Out;
  const house = await place.house(ctx, asked);
  const caller = { house, signal: ctx.mcpReq.signal };
  const answered = await answerOf(house, ctx);
  const said = answered ? { standing: answered } : await acted(def, { house, caller }, input, place.canAsk(ctx));
  if (!("standing" in said))
    return {
      content: [{ type: "text", text: said.text }],
      structuredContent: { instruction: said.text, ...said.data },
    };
  const { standing } = said;
  if (!def.looks) house.bindSession(standing.id);
  if (standing.turn.of === "person" && !def.looks && !answered && place.canAsk(ctx)) return questionTo(standing) as Out;
  return toldOf(house, standing, place.clientName(ctx));
}

/** A gate that takes no agent's word is asked about again where the client can: a form closed by mistake is not the last one. */
async function acted(def: ToolDef, call: Call, input: Record<string, unknown>, canAsk: boolean): Promise<Said> {
  try {
    return await def.act(call, input);
  } catch (error) {
    if (!canAsk || !(error instanceof Refusal) || error.code !== "needs-a-person") throw error;
    const standing = await standingOf(call.house, await activeOrRefuse(call.house));
    if (standing.turn.of !== "person") throw error;
    return { standing };
  }
}

async function toldOf(house: McpHouse, standing: Standing, client: string | undefined): Promise<Out> {
  const { view, result } = await resultOf(house, standing.flow, standing.run);
  const instruction = instructionOf(standing, view, client);
  return { content: [{ type: "text", text: instruction }], structuredContent: { instruction, ...result } };
}

/** The gate as a form of the client's: its answer is the person's own. */
function questionTo({ id, turn }: Standing): unknown {
  if (turn.of !== "person") throw new Error("unreachable: no question");
  const { question, options, shown } = turn.question;
  const schema = z.object({
    option: z.enum(options as [string, ...string[]]).describe("What is to happen"),
    comment: z.string().max(10_000).optional().describe("For whoever works next"),
  });
  return inputRequired({
    inputRequests: {
      gate: inputRequired.elicit({ message: shown.split("\ntree ")[0] ?? question, requestedSchema: schema }),
    },
    requestState: JSON.stringify({ run: id, ticket: turn.ticket, tree: turn.tree } satisfies Asked),
  });
}
interface Asked {
  run: string;
  ticket: string;
  tree: string;
}

/** What came back for a question: a person's answer is recorded; cancel and decline are none, and the run stays where it is. */
async function answerOf(house: McpHouse, ctx: ServerContext): Promise<Standing | undefined> {
  const reply = inputResponse(ctx.mcpReq.inputResponses, "gate");
  if (reply.kind !== "elicit") return undefined;
  const asked = askedOf(ctx.mcpReq.requestState());
  if (reply.action !== "accept") return standingOf(house, asked.run);
  const { option, comment } = reply.content ?? {};
  if (typeof option !== "string") return standingOf(house, asked.run);
  const said = { option, ...(typeof comment === "string" && comment !== "" ? { comment } : {}) };
  const from = { channel: "elicitation", by: house.user, expected: asked } as const;
  return answer({ house, signal: ctx.mcpReq.signal }, asked.run, said, from);
}

/** It went through the client: it only names what was asked, and what is open now decides. */
function askedOf(state: unknown): Asked {
  const value: unknown = typeof state === "string" ? JSON.parse(state) : undefined;
  const { run, ticket, tree } = z.object({ run: z.string(), ticket: z.string(), tree: z.string() }).parse(value);
  return { run, ticket, tree };
}

function troubled(error: unknown): Out {
  const [code, message, hint] = wordsOf(error);
  const instruction = hint ? `${message}\n${hint}` : message;
  return {
    content: [{ type: "text", text: instruction }],
    structuredContent: { instruction, error: { code, message, ...(hint ? { hint } : {}) } },
    isError: true,
  };
}
function wordsOf(error: unknown): [code: string, message: string, hint: string | undefined] {
  if (error instanceof Refusal) return [error.code, error.message, error.hint];
  if (error instanceof FaultError) return [error.record.code, error.record.message, error.record.hint];
  return [
    "bug",
    `This is a bug in Pawl; please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    undefined,
  ];
}

/** Skills as prompts: slash commands of the client. Listed when they are asked for, since a start reads no repository. */
function registerPrompts({ server }: McpServer, place: Place): void {
  server.setRequestHandler("prompts/list", async (_request, ctx) => {
    const skills = (await place.skills(ctx)).filter(({ broken }) => broken === undefined);
    return { prompts: skills.map(({ name, description }) => ({ name, title: name, description })) };
  });
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const skill = await (await place.house(ctx, undefined)).library.skill(params.name);
    if (skill === undefined) throw new Refusal("unknown-skill", `there is no skill "${params.name}"`);
    const content = { type: "text" as const, text: skill.text };
    return { description: skill.description, messages: [{ role: "user" as const, content }] };
  });
}

/** Runs as resources: `pawl://run/<id>`. */
function registerRuns(server: McpServer, place: Place): void {
  const template = new ResourceTemplate("pawl://run/{id}", {
    list: async (ctx) => {
      const runs = await (await place.house(ctx, undefined)).store.list();
      return { resources: runs.map((id) => ({ uri: `pawl://run/${id}`, name: id, mimeType: "application/json" })) };
    },
  });
  server.registerResource(
    "run",
    template,
    { title: "A run", mimeType: "application/json" },
    async (uri, { id }, ctx) => {
      const house = await place.house(ctx, undefined);
      const { flow, run } = await lookAt(house, await house.store.find(String(id)));
      const { result } = await resultOf(house, flow, run);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(result, null, 2) }] };
    },
  );
}

/** Where the calls of one connection are about, and what its client can do. */
class Place {
  private roots: string[] | undefined;
  constructor(
    private readonly desk: McpDesk,
    private readonly server: McpServer,
  ) {}

  async house(ctx: ServerContext, asked: string | undefined): Promise<McpHouse> {
    const listed = inputResponse(ctx.mcpReq.inputResponses, "roots");
    if (listed.kind === "roots") this.roots = foldersOf(listed.roots);
    return houseFor(this.desk, asked, this.roots ?? []);
  }
  /** Asked once a connection, and only where nothing nearer says it. */
  wantsRoots(ctx: ServerContext, asked: string | undefined): boolean {
    if (asked !== undefined || this.roots !== undefined || this.capabilities(ctx)?.roots === undefined) return false;
    if (inputResponse(ctx.mcpReq.inputResponses, "roots").kind === "roots") return false;
    if (ctx.mcpReq.inputResponses !== undefined) this.roots = []; // it was asked and did not say
    return this.roots === undefined;
  }
  canAsk(ctx: ServerContext): boolean {
    return this.capabilities(ctx)?.elicitation !== undefined;
  }
  /** Of the repository, if there is one where the client stands; none is no trouble for who only lists them. */
  async skills(ctx: ServerContext): Promise<{ name: string; description: string; broken?: string }[]> {
    try {
      return await (await this.house(ctx, undefined)).library.skills();
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  }
  /** As it calls itself. */
  clientName(ctx: ServerContext): string | undefined {
    const told = this.told<{ name?: unknown }>(ctx, CLIENT_INFO_META_KEY) ?? this.server.server.getClientVersion();
    return typeof told?.name === "string" ? told.name : undefined;
  }
  private capabilities(ctx: ServerContext): ClientCapabilities | undefined {
    return (
      this.told<ClientCapabilities>(ctx, CLIENT_CAPABILITIES_META_KEY) ?? this.server.server.getClientCapabilities()
    );
  }
  /** What clients of the newer generation say with each request; the others say it once. */
  private told<T>(ctx: ServerContext, key: string): T | undefined {
    return (ctx.mcpReq.envelope as Record<string, T | undefined> | undefined)?.[key]; // its type knows no keys
  }
}
