// Stands in for a coding agent: gets its task on standard input, edits files, says what it did. Like one, it is not right at once.
import { readFileSync, writeFileSync } from "node:fs";

const task = readFileSync(0, "utf8");
const code = readFileSync("cart.js", "utf8");
const summary = work();
writeFileSync(`${process.env.PAWL_ARTIFACTS}/summary.md`, `${summary}\n`);
console.log(summary);

function work() {
  if (!code.includes("quantity")) {
    const counted = code.replace("{ cents }", "{ cents, quantity }").replace("+= cents", "+= cents * quantity");
    writeFileSync("cart.js", counted);
    return "Items are counted by quantity.";
  }
  if (!code.includes("0.9")) {
    writeFileSync("cart.js", code.replace("return sum", "return sum >= 10_000 ? sum * 0.9 : sum"));
    return "Ten percent off, as the failing test asked for.";
  }
  if (!code.includes("Math.round") && task.includes("whole cents")) {
    writeFileSync("cart.js", code.replace("sum * 0.9", "Math.round(sum * 0.9)"));
    const more = `test("charges whole cents", () => {
  assert.equal(total([{ cents: 10_001, quantity: 1 }]), 9_001);
});\n`;
    writeFileSync("cart.test.js", readFileSync("cart.test.js", "utf8") + more);
    return "Whole cents, with a test, as the reviewer asked for.";
  }
  return "Nothing was left to do.";
}
