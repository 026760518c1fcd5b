// Which addresses are somebody's own: a public name must not lead to the services of this machine or of its network.
import { BlockList, isIP, isIPv6 } from "node:net";

const own = new BlockList();
const inside = new BlockList();
const lay = (list: BlockList, kind: "ipv4" | "ipv6", nets: [string, number][]) => {
  for (const [net, bits] of nets) list.addSubnet(net, bits, kind);
};
lay(own, "ipv4", [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // also where clouds hand out their machines' keys
  ["224.0.0.0", 3],
]);
lay(own, "ipv6", [
  ["::", 127],
  ["fe80::", 10],
  ["ff00::", 8],
  ["fd00:ec2::254", 128],
]);
lay(inside, "ipv4", [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
]);
lay(inside, "ipv6", [
  ["fc00::", 7],
  ["64:ff9b::", 96], // IPv4 in disguise
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["2001::", 32],
]);

/** "own": this machine, and what only it can see. "inside": a private network. What is no address is "own": nobody may connect to it. */
export function kindOf(address: string): "own" | "inside" | "public" {
  const plain = unmapped(address);
  if (isIP(plain) === 0) return "own";
  const family = isIPv6(plain) ? "ipv6" : "ipv4";
  if (own.check(plain, family)) return "own";
  return inside.check(plain, family) ? "inside" : "public";
}

/** An IPv4 address that is written as one of IPv6, in either form. */
function unmapped(address: string): string {
  const tail = /^(?:0{0,4}:){1,5}ffff:(.+)$/i.exec(address)?.[1];
  if (tail === undefined) return address;
  if (isIP(tail) === 4) return tail;
  const [, high = "", low = ""] = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(tail) ?? [];
  const value = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return Number.isNaN(value) ? "" : [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}
