import { expect, it } from "vitest";
import { EGRESS } from "./egress.js";
import { isolation, readIsolation, usualIsolation } from "./isolation.js";

const read = (value: object) => readIsolation(isolation().parse(value));
const complaints = (value: object) =>
  isolation()
    .safeParse(value)
    .error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`) ?? [];

it("lets a setup reach the package registries when it says nothing, nobody with an empty list, and else those named", () => {
  expect(usualIsolation()).toMatchObject({
    image: "host",
    pull: "missing",
    egress: EGRESS.map((host) => `${host}:443`),
  });
  expect(read({ egress: [] }).egress).toEqual([]);
  expect(read({ egress: ["Packages.Example.com:8443", "10.0.0.7", "[fd00::7]:80", "a.b:00443"] }).egress).toEqual([
    "packages.example.com:8443",
    "10.0.0.7:443",
    "[fd00::7]:80",
    "a.b:443",
  ]);
});
it.each([
  ...[
    "localhost",
    "LOCALHOST:443",
    "x.localhost",
    "127.0.0.1",
    "127.9.9.9:80",
    "0.0.0.0",
    "169.254.169.254",
    "[::1]:443",
    "[::]",
  ],
  ...["[::ffff:127.0.0.1]", "[fe80::1]", "*.example.com", "https://example.com", "example.com/path", "a b", "", ":443"],
  ...[
    "example.com:0",
    "example.com:65536",
    "example.com:",
    "user@example.com",
    "-x.example.com",
    `${"x".repeat(254)}.com`,
  ],
])("takes no pattern, no address of this machine and nothing that is no host: %j", (host) => {
  expect(complaints({ egress: [host] })).toEqual([
    expect.stringContaining("egress.0 must be the whole name of a host"),
  ]);
});
it.each(["node", "node:22", "ghcr.io/team/tools:1.2", "localhost:5000/x@sha256:".concat("0".repeat(64)), "a/b/c__d"])(
  "takes the image %s",
  (image) => expect(complaints({ image })).toEqual([]),
);
it.each(["", "-v", "Node", "node:", "a b", "../x", "node@sha256:12", "--privileged", "x;y", `${"x".repeat(501)}`])(
  "takes no image %j",
  (image) =>
    expect(complaints({ image })).toEqual([expect.stringContaining("image must be host or the name of an image")]),
);
it("refuses an image where bubblewrap is asked for, and git data that may be written", () => {
  expect(complaints({ engine: "bubblewrap", image: "node:22" })).toEqual([
    expect.stringContaining("image must be host where engine is bubblewrap"),
  ]);
  expect(complaints({ git: "free" })).toEqual([expect.stringContaining("git must be readonly")]);
  expect(complaints({ pull: "sometimes" })).toEqual([expect.stringContaining("pull must be missing, never or always")]);
});
