// The tools of extensions for one visit of an agent: which it may call, and the door through which it calls them.
import type { Performer, Run } from "../core/model.js";
import type { Door } from "../ports/door.js";
import type { Tool } from "../ports/extension.js";
import type { Workshop } from "../ports/workshop.js";
import type { PromptParts } from "./prompt.js";
import type { Visit } from "./visit.js";

export interface Offer {
  performer: Performer;
  access: "read" | "write";
  run: Run;
  step: string;
  visit: Visit;
}

/** Who reads gets the tools that only read; whoever's agent file names tools gets those of them. */
export const toolsFor = (shop: Workshop, { performer, access }: Pick<Offer, "performer" | "access">): Tool[] =>
  [...shop.tools.values()].filter(
    (tool) => (access === "write" || tool.access === "read") && (performer.tools?.includes(tool.name) ?? true),
  );

/** A client is told of its own tools only. */
export function withoutThese(shop: Workshop, performer: Performer): Performer {
  if (!performer.tools) return performer;
  return { ...performer, tools: performer.tools.filter((name) => !shop.tools.has(name)) };
}

/** Undefined when there is none for this agent. */
export async function openTools(shop: Workshop, offer: Offer): Promise<Door | undefined> {
  const tools = toolsFor(shop, offer);
  if (tools.length === 0) return undefined;
  const { run, step, visit } = offer;
  const { workspace } = shop.frozen.start;
  return shop.openDoor({
    nonce: visit.env.PAWL_NONCE ?? "",
    log: `${visit.folder}/tools.jsonl`,
    mask: visit.mask,
    answer: async (name, args, signal) => {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new Error(`there is no tool "${name}"; there are: ${tools.map((each) => each.name).join(", ")}`);
      return visit.mask(await tool.run({ args, run, step, workspace, signal }));
    },
  });
}

/** How the prompt tells of them. */
export const toldTools = (shop: Workshop, offer: Offer, door: Door): PromptParts["tools"] => ({
  call: `${door.call} NAME '{"argument": "value"}'`,
  list: toolsFor(shop, offer).map(({ name, about, input }) => ({ name, about, input: JSON.stringify(input) })),
});
