#!/bin/sh
# npm run demo: from a fresh clone to a finished run. Arguments go to `pawl demo`.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh demo
npx --no-install rolldown -c >/dev/null
exec node dist/pawl.js demo "$@"
