import assert from "node:assert/strict";
import test from "node:test";
import { total } from "./cart.js";

test("adds up what is in the cart, by quantity", () => {
  assert.equal(
    total([
      { cents: 250, quantity: 2 },
      { cents: 100, quantity: 1 },
    ]),
    600,
  );
});
test("takes ten percent off from 100.00 on", () => {
  assert.equal(total([{ cents: 5_000, quantity: 2 }]), 9_000);
});
