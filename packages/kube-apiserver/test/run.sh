#!/usr/bin/env bash
# Builds this package and runs its tests. Arguments are passed to Jest: `npm test -- unit` runs the unit tests.
# Suites that need kube-apiserver or kubectl are skipped by name where the programs are missing; with CI=true they fail.
# Files *.nightly.test.ts take hours and run only with `npm test -- nightly`.
set -euo pipefail
cd "$(dirname "$0")/.."
npm run --silent build
case "$*" in *nightly*) ignored='/node_modules/' ;; *) ignored='\.nightly\.test\.js$' ;; esac
jest=$(node -p 'path.join(path.dirname(require.resolve("jest/package.json")), "bin", "jest.js")')
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning "$jest" "$@" --testPathIgnorePatterns "$ignored"
