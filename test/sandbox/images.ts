// An image without a registry, for tests: busybox and nothing else; and a registry of our own that serves it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DockerApi } from "../../src/adapters/sandbox/docker/api.js";
import { placeOf } from "../../src/adapters/sandbox/docker/socket.js";
import { type Entry, tarOf } from "../../src/adapters/sandbox/docker/tar.js";
import { DOCKER_ENV } from "./here.js";

const BUSYBOX = "/usr/bin/busybox"; // Debian: busybox-static
const APPLETS =
  "sh cat sed readlink tr df timeout unshare stat test env grep sleep touch rm mkdir ls head id sync true nproc".split(
    " ",
  );

export const api = () => new DockerApi(placeOf(DOCKER_ENV));

/** A userland of one program. `mark` makes one image differ from another. */
export function busyboxTar(mark: string): Buffer {
  const folders = ["bin", "usr", "etc", "proc", "dev", "sys", "run", "var", "sbin"];
  const entries: Entry[] = [
    ...folders.map((path): Entry => ({ kind: "folder", path, mode: 0o755 })),
    { kind: "folder", path: "tmp", mode: 0o1777 },
    ...APPLETS.map((name): Entry => ({ kind: "link", path: `bin/${name}`, to: "busybox" })),
    { kind: "file", path: "etc/mark", text: `${mark}\n` },
  ];
  const program: Entry = { kind: "file", path: "bin/busybox", text: readFileSync(BUSYBOX, "latin1"), mode: 0o755 };
  return tarOf([...entries, program], "latin1");
}

export async function importImage(name: string, mark: string): Promise<void> {
  const [repo, tag] = name.split(":");
  await api().call("POST", `/images/create?fromSrc=-&repo=${repo}&tag=${tag}`, { raw: busyboxTar(mark) });
}
export async function removeImage(name: string): Promise<void> {
  await api().ask("DELETE", `/images/${name}?force=1`);
}

/** Serves one image by name and tag; dockerd trusts registries of this machine. */
export async function registry(mark: string, architecture = "amd64") {
  const sha = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const layer = busyboxTar(mark);
  const rootfs = { type: "layers", diff_ids: [sha(layer)] };
  const env = ["PATH=/bin", "OF_THE_IMAGE=yes"];
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: "linux",
      config: { Env: env, Entrypoint: ["/bin/false"], Volumes: { "/data": {} } },
      rootfs,
    }),
  );
  const type = "application/vnd.docker.distribution.manifest.v2+json";
  const part = (bytes: Buffer, kind: string) => ({
    mediaType: `application/vnd.docker.${kind}`,
    size: bytes.length,
    digest: sha(bytes),
  });
  const manifest = Buffer.from(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: type, config: part(config, "container.image.v1+json") },
      layers: [part(layer, "image.rootfs.diff.tar")],
    }),
  );
  const asked: string[] = [];
  const blobs = new Map([layer, config, manifest].map((bytes) => [sha(bytes), bytes]));
  const server = createServer(({ url = "", method }, answer) => {
    asked.push(url);
    const last = url.split("/").at(-1) ?? "";
    const found = url.includes("/manifests/")
      ? last === "1" || last === sha(manifest)
        ? manifest
        : undefined
      : blobs.get(last);
    if (url === "/v2/") return void answer.end("{}");
    if (!found)
      return void answer
        .writeHead(404, { "content-type": "application/json" })
        .end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    answer.writeHead(200, {
      "content-type": found === manifest ? type : "application/octet-stream",
      "docker-content-digest": sha(found),
      "content-length": found.length,
    });
    answer.end(method === "HEAD" ? undefined : found);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, digest: sha(manifest), asked, [Symbol.dispose]: () => void server.close() };
}
