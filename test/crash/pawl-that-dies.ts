// The program, with a hand on its neck: PAWL_DIES_AT="append:after#3" kills it at the third time it comes by that moment, and
// PAWL_DIES_OF=SIGSTOP only stops it there. Only tests can build this; the product has no such switch.
import { main } from "../../src/main.js";

const [moment, times = "1"] = (process.env.PAWL_DIES_AT ?? "").split("#");
let left = Number(times);

process.exitCode = await main(process.argv.slice(2), {
  at(name) {
    if (name === moment && --left === 0) process.kill(process.pid, process.env.PAWL_DIES_OF ?? "SIGKILL");
  },
});
