#!/usr/bin/env bash
# Builds this package and runs its tests; arguments go to Jest. What needs a real kube-apiserver is left out, by name,
# where testing/control-plane/build.sh was not run; with CI=true it fails.
set -euo pipefail
cd "$(dirname "$0")/.."
npm run --silent build
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning "$(node -p 'require.resolve("jest/bin/jest.js")')" "$@"
