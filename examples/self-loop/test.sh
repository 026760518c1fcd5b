#!/bin/sh
# What the self loop calls a passing test: the types and the tests that lie beside the sources.
set -e
npx tsc --noEmit -p .
npx vitest run src
