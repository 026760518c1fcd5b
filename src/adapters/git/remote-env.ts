// What of the user's environment a program needs to reach a remote in their name. Everything else stays behind.
import type { HostEnv } from "./quiet.js";

export const NETWORK_ENV: readonly string[] = [
  ...["HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"],
  ...["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO"],
];

export function passed(host: HostEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = host[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
