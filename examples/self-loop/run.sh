#!/bin/sh
# Starts the self loop with the Pawl of this repository, once it is built: sh examples/self-loop/run.sh [options of pawl run]
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec node "$here/../../dist/pawl.js" run "$here/self.yaml" "$@"
