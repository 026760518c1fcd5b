// Usage: hold.mjs BUNDLE HOME RUN. Takes the run, says "held" or the refusal, appends remarks when told, until killed.
import { pathToFileURL } from "node:url";

const [, , bundle, home, run, dieAt = "", dieAfter = "0"] = process.argv;
const { openStore } = await import(pathToFileURL(bundle).href);
let moments = 0;
const at = (name) => {
  if (name === dieAt && ++moments > Number(dieAfter)) process.kill(process.pid, "SIGKILL");
};
const store = openStore({ home, at });
let open;
let seq = 0;
const say = (message) => process.send?.(message);

process.on("message", async ({ take, append, snapshot, release }) => {
  try {
    if (take !== undefined) {
      while (Date.now() < take);
      open = await store.open(run);
      seq = open.lines.length;
      return say({ held: open.fence, remarks: open.remarks });
    }
    if (append) {
      const event = { seq: seq + 1, at: "", by: "child", type: "remark", about: "test", text: `from ${process.pid}` };
      await open.append(event, "x");
      seq += 1;
      if (snapshot) await open.snapshot({ id: run, seq });
      return say({ appended: seq });
    }
    if (release) {
      await open?.[Symbol.asyncDispose]();
      open = undefined;
      return say({ released: true });
    }
  } catch (error) {
    say({ refused: error.code ?? error.record?.code ?? String(error), message: error.message });
  }
});
say({ ready: true });
