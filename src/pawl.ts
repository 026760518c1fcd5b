#!/usr/bin/env node
// The program `pawl`. The hook is not worth the start of the whole command line: it is called at the end of every turn.
const [command, moment] = process.argv.slice(2);

process.exitCode =
  command === "hook" && moment === "end-of-turn"
    ? await (await import("./end-of-turn.js")).endOfTurn()
    : await (await import("./main.js")).main(process.argv.slice(2));

export {};
