#!/bin/sh
# npm test: from a fresh clone to a yes or no.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
clients=test/clients/e2e
if [ ! -e $clients/node_modules/.package-lock.json ] || [ $clients/package-lock.json -nt $clients/node_modules/.package-lock.json ]; then
  node test/clients/install.mjs
fi
exec node scripts/check.mjs "$@"
