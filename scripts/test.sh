#!/bin/sh
# npm test: from a fresh clone to a yes or no.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
node test/clients/install.mjs
exec sh scripts/with-docker.sh node scripts/check.mjs "$@"
