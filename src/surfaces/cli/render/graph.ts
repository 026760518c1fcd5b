// A loop as a drawing: Mermaid, Graphviz or JSON. Nodes of one step are drawn as one; every label is escaped.
import type { Flow, Node, Target } from "../../../core/model.js";
import { clean } from "./clean.js";
import { cut } from "./width.js";
import { kindText } from "./work.js";

export interface Graph {
  name: string;
  start: string;
  nodes: { id: string; name: string; kind: string }[];
  edges: { from: string; to: string; label: string; kind: "way" | "paid" | "diverted" }[];
}
/** Columns of a label in a drawing. */
export const LABEL_MAX = 60;

export function graphOf(flow: Flow): Graph {
  const ids = new Map<string, string>();
  const nodes: Graph["nodes"] = [];
  const place = (key: string, name: string, kind: string): string => {
    const known = ids.get(key);
    if (known) return known;
    const id = `n${ids.size}`;
    ids.set(key, id);
    nodes.push({ id, name, kind });
    return id;
  };
  const gated = new Set(Object.values(flow.nodes).flatMap((node) => gatedStep(flow, node)));
  const stepOf = (name: string): string => {
    const fold = foldOf(flow, name);
    const node = flow.nodes[fold] ?? flow.nodes[name];
    const kind = node ? kindText(node) : "step";
    return place(`node ${fold}`, fold, gated.has(fold) ? `${kind}, then a gate` : kind);
  };
  const targetOf = (target: Target): string => {
    if ("node" in target) return stepOf(target.node);
    if ("end" in target) return place(`end ${target.end}`, target.end, "end");
    return place(`park ${target.park}`, `parked: ${target.park}`, "park");
  };
  const start = stepOf(flow.start);
  const edges = new Map<string, Graph["edges"][number]>();
  for (const node of Object.values(flow.nodes)) {
    for (const { to, label, kind } of edgesOf(flow, node)) {
      const [from, end] = [stepOf(node.name), targetOf(to)];
      // the way from a step into its own generated nodes stays inside the drawn step
      if (from === end && "node" in to && to.node !== node.name) continue;
      const key = `${from} ${end} ${kind}`;
      const known = edges.get(key);
      if (!known) edges.set(key, { from, to: end, label, kind });
      else if (!known.label.split(", ").includes(label)) known.label += `, ${label}`;
    }
  }
  return { name: flow.name, start, nodes, edges: [...edges.values()] };
}

type Edge = { to: Target; label: string; kind: Graph["edges"][number]["kind"] };

function edgesOf(flow: Flow, node: Node): Edge[] {
  return Object.entries(node.routes).flatMap(([outcome, route]) => {
    const budgets = (route.spend ?? []).flatMap((name) => flow.budgets[name] ?? []);
    const diverted = budgets.flatMap(({ onExhausted, onRepeat, setBy }): Edge[] => [
      { to: onExhausted, label: `${setBy} used up`, kind: "diverted" },
      ...(onRepeat ? [{ to: onRepeat, label: "repeat", kind: "diverted" as const }] : []),
    ]);
    const way: Edge = { to: route.to, label: outcome, kind: budgets.length ? "paid" : "way" };
    return [way, ...diverted];
  });
}

/** The step a node is drawn as: the author's own, or for a generated one the step its name ends in (`gate-after:dev`). */
function foldOf(flow: Flow, name: string): string {
  const fold = flow.nodes[name]?.origin?.fold;
  if (fold !== undefined) return fold;
  if (name.startsWith(":")) return name;
  const owners = flow.steps.filter((step) => name.endsWith(`:${step}`) || name.includes(`:${step}:`));
  return owners.reduce((best, step) => (step.length > best.length ? step : best), "") || name;
}

/** The step a generated gate is drawn into. */
function gatedStep(flow: Flow, node: Node): string[] {
  const fold = foldOf(flow, node.name);
  return node.work.kind === "ask" && fold !== node.name ? [fold] : [];
}

export function mermaid(flow: Flow): string {
  const { nodes, edges } = graphOf(flow);
  const shape = ({ kind, id, name }: Graph["nodes"][number]): string => {
    const label = `"${mermaidLabel(kind === "end" || kind === "park" ? name : `${name} (${kind})`)}"`;
    if (kind === "end") return `  ${id}([${label}])`;
    return kind === "gate" ? `  ${id}{{${label}}}` : `  ${id}[${label}]`;
  };
  const arrows = { way: "-->", paid: "==>", diverted: "-.->" } as const;
  const lines = edges.map(({ from, to, label, kind }) => `  ${from} ${arrows[kind]}|"${mermaidLabel(label)}"| ${to}`);
  return ["flowchart TD", ...nodes.map(shape), ...lines, ""].join("\n");
}

export function dot(flow: Flow): string {
  const { name, nodes, edges } = graphOf(flow);
  const shapes: Record<string, string> = { end: "oval", park: "octagon", gate: "hexagon" };
  const styles = { way: "solid", paid: "bold", diverted: "dashed" } as const;
  const shown = nodes.map((each) => {
    const plain = each.kind === "end" || each.kind === "park";
    const label = dotLabel(plain ? each.name : `${each.name} (${each.kind})`);
    return `  ${each.id} [label=${label}, shape=${shapes[each.kind] ?? "box"}];`;
  });
  const lines = edges.map(
    (edge) => `  ${edge.from} -> ${edge.to} [label=${dotLabel(edge.label)}, style=${styles[edge.kind]}];`,
  );
  return [`digraph ${dotLabel(name)} {`, ...shown, ...lines, "}", ""].join("\n");
}

export const graphJson = (flow: Flow): string => `${JSON.stringify(graphOf(flow), null, 2)}\n`;

/** Everything that could be markup becomes a numbered entity. */
const mermaidLabel = (text: string): string =>
  cut(clean(text), LABEL_MAX).replace(/[^\p{L}\p{N} .,:_()…-]/gu, (character) => `#${character.codePointAt(0)};`);
const dotLabel = (text: string): string => `"${cut(clean(text), LABEL_MAX).replace(/["\\]/g, "\\$&")}"`;
