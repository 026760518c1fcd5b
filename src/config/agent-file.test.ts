import { describe, expect, it } from "vitest";
import { AGENT_TOOLS_MAX, readAgentFile } from "./agent-file.js";
import { formatIssue } from "./issues.js";

const PATH = ".pawl/agents/dev.agent.md";
const agent = (text: string, path = PATH) => {
  const read = readAgentFile(text, path);
  if ("issues" in read) throw new Error(read.issues.map(formatIssue).join("\n"));
  return read.agent;
};
const complaints = (text: string, path = PATH) => {
  const read = readAgentFile(text, path);
  return "issues" in read ? read.issues.map(formatIssue) : [];
};

describe("an agent file", () => {
  it("says who an agent is: its name, its model, its tools and its instructions", () => {
    const text =
      "---\nname: dev\ndescription: Builds\nmodel: big-1\ntools: [Read, Edit]\n---\n\nYou build.\n\n---\nStill you.\n";
    expect(agent(text)).toEqual({
      name: "dev",
      description: "Builds",
      model: "big-1",
      tools: ["Read", "Edit"],
      body: "You build.\n\n---\nStill you.",
    });
  });

  it("needs no more than a name and instructions, however its lines end", () => {
    expect(agent("\ufeff---\r\nname: dev\r\nmodel:\r\n---\r\nYou build.\r\n")).toEqual({
      name: "dev",
      body: "You build.",
    });
  });

  it("may name its tools in one text, as other clients write them, or give none at all", () => {
    expect(agent("---\nname: dev\ntools: Read, Grep ,Bash\n---\nx").tools).toEqual(["Read", "Grep", "Bash"]);
    expect(agent("---\nname: dev\ntools: []\n---\nx").tools).toEqual([]);
  });

  it("is called what its file is called", () => {
    expect(complaints("---\nname: developer\n---\nx")).toEqual([
      '.pawl/agents/dev.agent.md:2:1 "name" must be "dev", the stem of the file, not "developer" (rename one of the two)',
    ]);
    expect(agent("---\nname: doer-web\n---\nx", "agents/doer-web.agent.md").name).toBe("doer-web");
  });

  it("is refused without front matter, name or instructions, with the mend", () => {
    expect(complaints("You build.")).toEqual([
      '.pawl/agents/dev.agent.md:1:1 the front matter is missing (begin the file with the lines "---", "name: dev" and "---")',
    ]);
    expect(complaints("---\nname: dev\n")[0]).toContain('the front matter has no second "---"');
    expect(complaints("---\n---\nx")[0]).toContain("the file is empty; write at least its name");
    expect(complaints("---\nmodel: m\n---\n \n")).toEqual([
      expect.stringContaining('2:1 "name" is missing; it must be the name of an agent'),
      expect.stringContaining("3:1 no instructions stand below the front matter (write them there)"),
    ]);
  });

  it("is told its faults at their place, all at once", () => {
    const tools = Array.from({ length: AGENT_TOOLS_MAX + 1 }, (_, i) => `t${i}`).join(", ");
    expect(complaints(`---\nname: dev\nmodel: [a]\ntools: [${tools}]\n---\nx`)).toEqual([
      expect.stringMatching(/agent\.md:3:1 "model" must be the name of a model/),
      expect.stringMatching(/agent\.md:4:1 "tools" must be a list of at most 200 names of tools/),
    ]);
    expect(complaints("---\nname: dev\nname: dev\nx: !!js/function a\n---\nx")).toEqual([
      expect.stringContaining(':3:1 "name" is written twice here'),
      expect.stringContaining(":4:18 the tag"),
    ]);
  });

  it("may hold keys that other clients read, which is told and no more", () => {
    const read = readAgentFile("---\nname: dev\ncolor: red\nmodle: m\n---\nx", PATH);
    expect("warnings" in read && read.warnings.map(formatIssue)).toEqual([
      '.pawl/agents/dev.agent.md:3:1 warning: "color" is not acted upon; an agent file has name, description, model and tools',
      expect.stringContaining(
        '4:1 warning: "modle" is not acted upon; an agent file has name, description, model and tools (did you mean "model"?)',
      ),
    ]);
  });

  it("is bounded like every text of a repository", () => {
    const deep = `---\nname: dev\nx: ${"[".repeat(60)}${"]".repeat(60)}\n---\nx`;
    expect(complaints(deep)[0]).toContain("nested more than");
  });
});
