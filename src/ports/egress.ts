// The only way out of a sandbox that has no network: a proxy of ours that knows names. Closing it ends every connection.
export type OpenEgress = (wish: EgressWish) => Promise<Egress>;

export interface EgressWish {
  /** `host:port`, whole names in lower case. Everything else is refused. */
  allow: string[];
  /** Addresses to which we add what a sandbox must not hold. Default none. */
  routes?: EgressRoute[];
  /** Who works inside is the owner of this folder; nobody else may use the way out. Absolute. */
  workspace: string;
  /** Absolute path of a log of ours: one line a connection, with the host, never a path or what was said. */
  log: string;
}
/** `http://127.0.0.1:PORT/NAME/…` inside becomes `TO/…` outside, with our headers in the place of those of the same name. */
export interface EgressRoute {
  name: string;
  to: string;
  headers: Record<string, string>;
}
export interface Egress extends AsyncDisposable {
  /** The sandbox must be able to read it, at its own path. Absolute. */
  readonly folder: string;
  /** The program with the way out around it: HTTP_PROXY and HTTPS_PROXY are set, and PAWL_EGRESS is the address for routes. Its exit
   *  code is the program's. Needs node inside. */
  wrap(argv: string[]): string[];
  /** `host:port` that were asked for and are not allowed; the first few. */
  refused(): string[];
}
