#!/usr/bin/env bash
# Regenerates, lints and type-checks, then fails when the tree is not as it is committed: what is derived must be
# committed with what it is derived from.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run --silent generate
npm run --silent format:check
npm run --silent lint
npm run --silent build

if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo "verify: no git checkout, so nobody can tell whether the tree is clean" >&2
  exit 1
fi
changes=$(git status --porcelain)
if [ -n "$changes" ]; then
  echo "verify: the tree is dirty; commit these (run \`make generate\` for derived files):" >&2
  echo "$changes" >&2
  exit 1
fi
echo "verify: clean"
