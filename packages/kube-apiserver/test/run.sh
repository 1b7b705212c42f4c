#!/usr/bin/env bash
# Builds this package and runs its tests. Arguments are passed to Jest: `npm test -- unit` runs the unit tests.
# Suites that need kube-apiserver or kubectl are skipped by name where the programs are missing; with CI=true they fail.
set -euo pipefail
cd "$(dirname "$0")/.."
npm run --silent build
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning "$(node -p 'require.resolve("jest/bin/jest.js")')" "$@"
