// Doubles for tests of your own loops, hooks and workers: the engine on a table, a journal, a clock, a world in memory.
export { SimulatedClock } from "./clock.js";
export { fenced, MemoryJournal, openInMemory } from "./store.js";
export { isQuestion, nameOf, type Player, reload, Table } from "./table.js";
export { block, error, pass, skip, wait, warning } from "./verdicts.js";
export { faulty, late, never, type Script, ScriptedWorker, throwing, untilCancelled } from "./workers.js";
export { MemoryWorld, RememberingNotifier } from "./world.js";
