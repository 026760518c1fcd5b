// Usage: rewrite.mjs STORE RECORDS HOME WORKSPACE RUN. Writes the record, the snapshot and the journal as fast as it can until killed.
import { pathToFileURL } from "node:url";

const [, , storeBundle, recordsBundle, home, workspace, run] = process.argv;
const { openStore } = await import(pathToFileURL(storeBundle).href);
const { openRecords } = await import(pathToFileURL(recordsBundle).href);
const store = openStore({ home });
const records = openRecords({ workspace, runFolder: (id) => store.runFolder(id) });
const at = { job: "main", loop: "dev", run };
let isOver = false;
process.on("message", () => {
  isOver = true;
});
for (let lap = 1; !isOver; lap++) {
  const open = await store.open(run).catch(() => undefined);
  if (open !== undefined) {
    const seq = open.lines.length + 1;
    await open.append({ seq, at: "", by: "child", type: "remark", about: "test", text: "x".repeat(seq % 9_000) }, "x");
    await open.snapshot({ id: run, seq, text: "s".repeat((lap * 7_919) % 100_000) });
    await open[Symbol.asyncDispose]();
  }
  const text = "r".repeat((lap * 7_919) % 200_000);
  const said = await records.publish(at, {
    loop_name: "dev",
    task_id: run,
    status: "running",
    text,
    length: text.length,
  });
  if (said !== undefined) throw new Error(said);
  if (lap === 1) process.send("going");
  await new Promise(setImmediate);
}
process.send("done", () => process.exit(0));
