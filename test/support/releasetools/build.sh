#!/usr/bin/env bash
# Builds one of the programs that check what a release consists of: `actionlint` (the workflows) or `operator-verify` (the
# bundle for OLM). The module beside this file pins them; they are kept in a per-user cache with the hash of go.sum as
# key, so that they are built once per machine. The last line printed is the program's path.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../../packages/kube-apiserver/testing/buildcache.sh"
case ${1-} in
  actionlint) package=github.com/rhysd/actionlint/cmd/actionlint ;;
  operator-verify) package=github.com/operator-framework/api/cmd/operator-verify ;;
  *) echo "usage: build.sh actionlint|operator-verify, got '${1-}'" >&2; exit 2 ;;
esac

key=$(sha256 <"$here/go.sum" | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/releasetools/$key"
mkdir -p "$cache"

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"

if [ ! -x "$cache/$1" ]; then
  command -v go >/dev/null || { echo "Go 1.26 or newer not found: install it to build $1" >&2; exit 1; }
  echo "building $1 ..." >&2
  (cd "$here" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' -o "$cache/.$1.partial" "$package")
  mv "$cache/.$1.partial" "$cache/$1"
fi
echo "$cache/$1"
