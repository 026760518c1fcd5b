// What the keys `egress` and `image` of `isolation` may say: hosts by name, and names of images.
import { z } from "zod";

/** Where packages come from: what a `setup` reaches when the author names nothing. */
export const EGRESS = [
  "registry.npmjs.org",
  "pypi.org",
  "files.pythonhosted.org",
  "index.crates.io",
  "static.crates.io",
  "proxy.golang.org",
  "sum.golang.org",
  "rubygems.org",
  "index.rubygems.org",
  "repo.maven.apache.org",
  "repo1.maven.org",
] as const;
const HTTPS = 443;
const HOST_CHARS_MAX = 253;
const IMAGE_CHARS_MAX = 500;

const ENTRY = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(\d{1,5}))?$/i;
/** This machine, and what only it can see: nobody inside is to talk to the services of the host. */
const OWN = /^(?:localhost|.+\.localhost|127\..*|0\..*|169\.254\..*|\[(?:::1?|::ffff:.*|fe[89ab].*)\])$/i;

/** A whole name, no pattern: what may be reached is to be read off the file. */
export const egressHost = () => {
  const error =
    'must be the whole name of a host that is not this machine, with or without its port, such as "registry.npmjs.org" or "packages.example.com:8443"';
  return z.string({ error }).refine(isHost, { error });
};
function isHost(text: string): boolean {
  const [, host = "", port = String(HTTPS)] = ENTRY.exec(text) ?? [];
  return host !== "" && host.length <= HOST_CHARS_MAX && !OWN.test(host) && Number(port) >= 1 && Number(port) <= 65_535;
}
export function withPort(text: string): string {
  const [, host = "", port = String(HTTPS)] = ENTRY.exec(text) ?? [];
  return `${host.toLowerCase()}:${Number(port)}`;
}

const IMAGE =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
/** As a registry knows it. */
export const imageName = () => {
  const error = 'must be host or the name of an image, such as "node:22" or "node@sha256:…"';
  return z.string({ error }).max(IMAGE_CHARS_MAX, { error }).regex(IMAGE, { error });
};
