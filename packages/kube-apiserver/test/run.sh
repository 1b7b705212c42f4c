#!/usr/bin/env bash
# Builds this package and runs its tests. Arguments are passed to Jest: `npm test -- unit` runs the unit tests.
# Suites that need kube-apiserver or kubectl are skipped by name where the programs are missing; with CI=true they fail.
# Files *.nightly.test.ts take hours and run only with `npm test -- nightly`.
set -euo pipefail
cd "$(dirname "$0")/.."
npm run --silent build
case "$*" in *nightly*) ignored='/node_modules/' ;; *) ignored='\.nightly\.test\.js$' ;; esac
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning "$(node -p 'require.resolve("jest/bin/jest.js")')" \
  --testPathIgnorePatterns "$ignored" "$@"
