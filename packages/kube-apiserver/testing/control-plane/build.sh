#!/usr/bin/env bash
# Builds the real Kubernetes control plane that the tests run against, once per machine.
#
# The programs come from two pinned Go modules beside this file and are kept in a per-user cache whose key
# is the hash of the two go.mod files, so that a second clone on the same machine builds nothing. The last line
# printed is the folder that holds them; `.bin` in the repository's root points at it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
release=v1.36.3
source "$here/../buildcache.sh"

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  ln -sfn "$KUBEBUILDER_ASSETS" "$root/.bin"
  echo "$KUBEBUILDER_ASSETS"
  exit 0
fi

key=$(cat "$here"/kubernetes/go.mod "$here"/kwok/go.mod | sha256 | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/control-plane/$key"
mkdir -p "$cache"
ln -sfn "$cache" "$root/.bin"

version="k8s.io/component-base/version"
stamp="-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=36"

# One builder at a time: two clones that start together would otherwise compile everything twice.
lock "$cache/.lock"

# Missing programs of a module are compiled by one call, so that several are linked at a time, into a folder beside, so that a
# cut build leaves no half program. Nobody debugs them: without debug information, the compiler has a tenth less to do.
build() { # build FOLDER PACKAGE...
  local folder=$1 partial="$cache/.$1.partial" package name packages=()
  shift
  for package in "$@"; do
    [ -x "$cache/$(name_of "$package")" ] || packages+=("$package")
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  command -v go >/dev/null || { echo "control plane: Go 1.26 or newer is needed to build ${packages[*]}; install it, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
  echo "building ${packages[*]} ..." >&2
  rm -rf "$partial" && mkdir "$partial"
  (cd "$here/$folder" && CGO_ENABLED=0 go build -trimpath -gcflags all=-dwarf=false -ldflags "$stamp" -o "$partial/" "${packages[@]}")
  for name in "$partial"/*; do
    mv "$name" "$cache/$(name_of "$name")"
  done
  rmdir "$partial"
}

name_of() { # name_of PACKAGE: go build names the program of etcd after its folder
  local name=${1%/v3}
  name=${name##*/}
  [ "$name" = server ] && name=etcd
  echo "$name"
}

build kubernetes go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/{kube-apiserver,kubectl,kube-controller-manager,kube-scheduler}
build kwok sigs.k8s.io/kwok/cmd/kwok

if [ ! -d "$cache/stages" ]; then
  kwok=$(cd "$here/kwok" && go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)
  rm -rf "$cache/.stages.partial" && mkdir "$cache/.stages.partial"
  for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
    install -m 0644 "$kwok/kustomize/stage/$stage.yaml" "$cache/.stages.partial/"
  done
  mv "$cache/.stages.partial" "$cache/stages"
fi
echo "$cache"
