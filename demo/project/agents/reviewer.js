// Stands in for a reviewing agent: reads the code, cannot change it, and writes its verdict into the artifact of the step.
import { readFileSync, writeFileSync } from "node:fs";

const code = readFileSync("cart.js", "utf8");
const review = code.includes("Math.round")
  ? "The total is right, and whole cents are charged.\n\nVERDICT: APPROVED\n"
  : "- cart.js: ten percent of an odd total is no whole number; charge whole cents, and test it.\n\nVERDICT: NEEDS CHANGES\n";
writeFileSync(`${process.env.PAWL_ARTIFACTS}/review.md`, review);
console.log(review);
