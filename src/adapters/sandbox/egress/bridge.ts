// What runs inside: a port on the sandbox's own loopback, carried to the proxy's socket. Starts the command, passes its end on.

/** A program for any Node: it stands in a file of its own, for the sandbox has none of ours. */
export const BRIDGE = `"use strict";
const net = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [socketPath, program, ...words] = process.argv.slice(2);
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socketPath, allowHalfOpen: true });
  near.pipe(far);
  far.pipe(near);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {}); // the command hears it too, and its end is ours
server.listen(0, "127.0.0.1", () => {
  const way = "http://127.0.0.1:" + server.address().port;
  const env = { ...process.env, PAWL_EGRESS: way, NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" };
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]) env[name] = way;
  const child = spawn(program, words, { stdio: "inherit", env });
  child.on("error", (error) => {
    console.error(program + ": " + error.message);
    process.exit(127);
  });
  child.on("exit", (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
});
`;

/** Finds a Node inside: the one that runs Pawl, where the sandbox has the machine's own programs, else the image's. */
export const FIND_NODE =
  'node=$1; shift; [ -x "$node" ] || node=$(command -v node) || ' +
  '{ echo "pawl: the way out of the sandbox needs node, and this image has none" >&2; exit 127; }; exec "$node" "$@"';
