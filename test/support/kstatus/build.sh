#!/usr/bin/env bash
# Builds main.go, with which a test asks the kstatus library. The module beside this file pins the library; the program is
# kept in a per-user cache with the hash of the inputs as key, so that it is built once per machine. The last line printed
# is its path.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../../packages/kube-apiserver/testing/buildcache.sh"

key=$(cat "$here/go.sum" "$here/main.go" "$here/build.sh" | sha256 | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/kstatus/$key"
mkdir -p "$cache"

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"

if [ ! -x "$cache/kstatus" ]; then
  command -v go >/dev/null || { echo 'Go 1.26 or newer not found: install it to build kstatus' >&2; exit 1; }
  echo 'building kstatus ...' >&2
  (cd "$here" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' -o "$cache/.kstatus.partial" .)
  mv "$cache/.kstatus.partial" "$cache/kstatus"
fi
echo "$cache/kstatus"
