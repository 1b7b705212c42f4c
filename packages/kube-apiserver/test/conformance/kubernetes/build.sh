#!/usr/bin/env bash
# Compiles Kubernetes' own end-to-end tests once per machine. The last line printed is the program's path.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../../testing/buildcache.sh"
key=$(sha256 <"$here/go.sum" | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/kubernetes-e2e/$key"
program="$cache/e2e.test"
mkdir -p "$cache"

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"
if [ ! -x "$program" ]; then
  command -v go >/dev/null || { echo "Kubernetes' end-to-end tests: Go 1.26 or newer is needed to build them; install it" >&2; exit 1; }
  echo "building Kubernetes' end-to-end tests ..." >&2
  (cd "$here" && CGO_ENABLED=0 go test -c -trimpath -ldflags '-s -w' -o "$cache/.partial" k8s.io/kubernetes/test/e2e)
  mv "$cache/.partial" "$program"
fi
echo "$program"
