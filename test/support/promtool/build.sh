#!/usr/bin/env bash
# Builds promtool, with which the tests check the alerts of deploy/monitoring. The module beside this file pins it; the
# program is kept in a per-user cache with the hash of the inputs as key, so that it is built once per machine. The last
# line printed is its path.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../../packages/kube-apiserver/testing/buildcache.sh"
# Rules need no service discovery, and its clouds are most of the packages of Prometheus.
tags=remove_all_sd

key=$(cat "$here/go.sum" "$here/build.sh" | sha256 | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/promtool/$key"
mkdir -p "$cache"

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"

if [ ! -x "$cache/promtool" ]; then
  command -v go >/dev/null || { echo 'Go 1.26 or newer not found: install it to test the alerts' >&2; exit 1; }
  echo 'building promtool ...' >&2
  (cd "$here" && CGO_ENABLED=0 nice -n 10 go build -tags "$tags" -trimpath -ldflags '-s -w' -o "$cache/.promtool.partial" github.com/prometheus/prometheus/cmd/promtool)
  mv "$cache/.promtool.partial" "$cache/promtool"
fi
echo "$cache/promtool"
