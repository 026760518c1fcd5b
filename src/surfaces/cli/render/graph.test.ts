import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText } from "../../../../test/harness/tale.js";
import { dot, graphJson, graphOf, mermaid } from "./graph.js";

describe("a drawing", () => {
  it("has the steps, the ends, the paid ways back and where they are diverted", () => {
    expect(mermaid(exampleFlow("phase"))).toBe(`flowchart TD
  n0["doer (agent)"]
  n1["reviewer (agent)"]
  n2["parked: work-failed"]
  n3(["success"])
  n4{{"confirm (gate)"}}
  n5{{"gate (gate)"}}
  n6["parked: no-verdict"]
  n7(["killed"])
  n8["parked: escalated"]
  n9["parked: paused"]
  n0 -->|"pass"| n1
  n0 -->|"block"| n2
  n1 -->|"approved, approved-with-warnings"| n3
  n1 -->|"pending-manual"| n4
  n1 ==>|"block"| n0
  n1 -.->|"max_iter used up, repeat"| n5
  n1 -->|"unclear"| n6
  n4 -->|"confirmed"| n3
  n4 ==>|"does-not-work"| n0
  n4 -.->|"max_resets used up"| n7
  n5 ==>|"continue"| n0
  n5 -.->|"max_resets used up"| n7
  n5 -->|"abort"| n8
  n5 -->|"adjust"| n9
`);
  });

  it("folds generated gates into their step, and keeps validators apart", () => {
    const names = graphOf(exampleFlow("dev")).nodes.map((node) => `${node.name}: ${node.kind}`);
    expect(names).toContain("commit: agent, then a gate");
    expect(names).toContain(":validators: validators");
    expect(names.join()).not.toContain("gate-after");
    const named = 'name: x\nsteps: [{name: validators, command: "true"}]\nvalidators: [{tool: run_tests}]';
    expect(graphOf(flowOfText(named)).nodes.map((node) => node.name)).toContain(":validators");
  });

  it("escapes what a label must not say", () => {
    const flow = flowOfText('name: x\nsteps: [{name: \'a "] --> <b>;\\\', command: "true"}]');
    expect(mermaid(flow)).toContain('n0["a #34;#93; --#62; #60;b#62;#59;#92; (command)"]');
    expect(dot(flow)).toContain('n0 [label="a \\"] --> <b>;\\\\ (command)", shape=box];');
  });

  it("as JSON has an edge for every way", () => {
    const graph = JSON.parse(graphJson(exampleFlow("pipeline")));
    expect(graph.nodes.find((node: { id: string }) => node.id === graph.start).name).toBe("dev");
    expect(graph.edges).toContainEqual({ from: "n1", to: "n0", label: "block", kind: "paid" });
  });
});
