#!/usr/bin/env bash
# Regenerates what is derived, then checks the format, the lint rules, the types, the commit subjects and that no merge
# is half done. Fails when regenerating changed a file. With CI=true the tree must be as it is committed, too.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo "verify: this is no git checkout, so changes cannot be found" >&2
  exit 1
fi

# macOS has no sha256sum.
hash=(sha256sum)
command -v sha256sum >/dev/null || hash=(shasum -a 256)

snapshot() { # path and hash of every file that is not ignored
  git ls-files -z --cached --others --exclude-standard | xargs -0 "${hash[@]}" 2>/dev/null | sort -k 2 || true
}

if git grep -nE '^(<{7}|>{7}) ' -- .; then
  echo "verify: these lines are the marks of a merge that was not finished" >&2
  exit 1
fi

before=$(snapshot)
npm run --silent generate
after=$(snapshot)
if [ "$before" != "$after" ]; then
  echo "verify: \`make generate\` changed these files; commit them:" >&2
  diff <(echo "$before") <(echo "$after") | awk '/^[<>]/ { print "  " $3 }' | sort -u >&2
  exit 1
fi
npm run --silent format:check
npm run --silent lint
bash tools/subjects.sh

if [ "${CI:-}" = true ] && [ -n "$(git status --porcelain)" ]; then
  echo "verify: the tree differs from what is committed:" >&2
  git status --porcelain >&2
  exit 1
fi
echo "verify: ok"
