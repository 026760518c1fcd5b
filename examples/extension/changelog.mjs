// A sample extension: one registered action. It runs outside the sandbox with your own rights, so keep it small and review it like code.
//
//   extensions: [examples/extension/changelog.mjs]
//   steps:
//     - {name: note, action: changelog, params: {file: CHANGES.md, line: "{subject}"}}
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** @type {import("pawl").Extension} */
export default {
  actions: {
    /** Puts one line on top of a list. Doing it again changes nothing: an action may be asked twice, after a crash. */
    changelog: {
      outcomes: ["unchanged"],
      check: (params) => [
        ...Object.keys(params)
          .filter((key) => key !== "file" && key !== "line")
          .map((key) => ({ path: [key], message: `"${key}" is no parameter of changelog`, hint: "it has: file, line" })),
        ...(typeof params.line === "string" && params.line.trim()
          ? []
          : [{ path: ["line"], message: '"line" must be a text' }]),
      ],
      async run({ run, params, workspace }) {
        const file = join(workspace, params.file ?? "CHANGES.md");
        if (relative(workspace, file).startsWith("..")) throw new Error(`"${params.file}" lies outside the repository`);
        const line = `- ${params.line.replaceAll("{subject}", run.inputs.subject ?? "")}`;
        const before = await readFile(file, "utf8").catch((error) => {
          if (error.code === "ENOENT") return "";
          throw error;
        });
        if (before.split("\n").includes(line)) return { outcome: "unchanged", output: `"${line}" is there already` };
        await writeFile(file, `${line}\n${before}`);
        return { output: `wrote "${line}"`, set: { changelog: line } };
      },
    },
  },
};
