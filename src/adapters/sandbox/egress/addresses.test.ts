import { expect, it } from "vitest";
import { kindOf } from "./addresses.js";

it.each([
  [
    "own",
    ["127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1"],
  ],
  ["own", ["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:127.0.0.1", "::ffff:a9fe:a9fe", "not an address", ""]],
  ["inside", ["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1"]],
  ["inside", ["64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"]],
  ["public", ["1.1.1.1", "172.32.0.1", "192.169.0.1", "203.0.113.80", "2606:4700::1", "::ffff:1.1.1.1"]],
] as const)("calls %s what it is: %j", (kind, addresses) => {
  expect(addresses.map(kindOf)).toEqual(addresses.map(() => kind));
});
