#!/bin/sh
# setup.sh demo|test: puts in what is missing of the system packages (Debian) and of node_modules. Says what it does; needs root or sudo for the former.
set -eu
cd "$(dirname "$0")/.."

missing=""
needs() { # program, package
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
needs git git
needs bwrap bubblewrap
if [ "${1:-test}" = test ]; then
  # the attack suite is compiled, statically; disks are mounted, children counted, gates answered at a terminal
  needs cc gcc
  [ -e /usr/include/stdlib.h ] || missing="$missing libc6-dev"
  needs bash bash
  needs mount mount
  needs prlimit util-linux
  needs ps procps
  needs tmux tmux
  # the second engine, and an image of one program; scripts/with-docker.sh starts the former for the tests alone
  needs dockerd docker.io
  needs curl curl
  needs busybox busybox-static
fi

if [ -n "$missing" ]; then
  as=""
  [ "$(id -u)" = 0 ] || as=sudo
  if ! command -v apt-get >/dev/null 2>&1 || { [ -n "$as" ] && ! $as -n true 2>/dev/null && ! [ -t 0 ]; }; then
    echo "missing here:$missing. Install them (Debian: sudo apt-get install$missing) and try again." >&2
    exit 1
  fi
  echo "installing$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # a list of words
  { $as apt-get update -q && $as apt-get install -q -y --no-install-recommends $missing; } >&2
fi

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "installing what the lock file names" >&2
  npm ci --no-fund --no-audit --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
