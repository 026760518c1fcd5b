#!/bin/sh
# with-docker.sh COMMAND…: runs COMMAND with a Docker engine. One that answers (DOCKER_HOST, or the usual place) is used and left alone.
# Else, as root and with dockerd installed, one is started by hand: a folder, socket and process of its own, no bridge, no packet
# filter, no registry asked; it is gone again with the command. Else COMMAND runs without one. Exit code: the command's.
set -u
[ $# -gt 0 ] || { sed -n 2,4p "$0"; exit 2; }
folder=""
api() { # METHOD PATH
  node -e '
    const [socketPath, method, path] = process.argv.slice(1);
    const sent = require("http").request({ socketPath, method, path, timeout: 10000 }, (heard) => {
      let text = ""; heard.on("data", (part) => { text += part; }).on("end", () => { console.log(text); process.exit(heard.statusCode < 400 ? 0 : 1); });
    });
    sent.on("timeout", () => sent.destroy()).on("error", () => process.exit(1)).end();' "$socket" "$1" "$2"
}
stop() { # by the number it wrote, never by name
  [ -n "$folder" ] || return 0
  for id in $(api GET "/v1.41/containers/json?all=1" | grep -o '"Id":"[0-9a-f]*"' | cut -d'"' -f4); do
    api DELETE "/v1.41/containers/$id?force=1&v=1" >/dev/null
  done
  pid=$(cat "$folder/pid" 2>/dev/null || true)
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null
    i=0; while kill -0 "$pid" 2>/dev/null && [ $i -lt 150 ]; do sleep .1; i=$((i + 1)); done
    kill -9 "$pid" 2>/dev/null
  fi
  umount "$folder/exec/netns/default" 2>/dev/null
  umount "$folder/data" 2>/dev/null
  rm -rf "$folder"
  rmdir /sys/fs/cgroup/*/docker 2>/dev/null
  folder=""
}
start() { # without systemd there are no slices
  folder=$(mktemp -d "${TMPDIR:-/tmp}/pawl-dockerd.XXXXXX") || return 1
  socket=$folder/s
  driver=""
  [ -d /run/systemd/system ] || driver="--exec-opt native.cgroupdriver=cgroupfs"
  # shellcheck disable=SC2086 # two words or none
  setsid dockerd --host "unix://$socket" --pidfile "$folder/pid" --data-root "$folder/data" --exec-root "$folder/exec" \
    --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --userland-proxy=false \
    $driver --log-level=warn </dev/null >"$folder/log" 2>&1 &
  daemon=$!
  i=0
  while [ $i -lt 100 ]; do
    api GET /_ping >/dev/null && return 0
    kill -0 $daemon 2>/dev/null || break
    sleep .2; i=$((i + 1))
  done
  tail -20 "$folder/log" >&2
  return 1
}

socket=${DOCKER_HOST:-unix:///var/run/docker.sock}
socket=${socket#unix://}
if ! api GET /_ping >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v dockerd >/dev/null 2>&1; then
    trap stop EXIT
    trap 'exit 130' INT TERM HUP
    start || { echo "with-docker.sh: dockerd does not answer" >&2; exit 3; }
  else
    exec "$@"
  fi
fi
export DOCKER_HOST="unix://$socket"
"$@"
