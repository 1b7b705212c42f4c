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

build() { # build FOLDER PACKAGE NAME: compiles into a temporary name first, so that a cut build leaves no half program
  [ -x "$cache/$3" ] && return 0
  command -v go >/dev/null || { echo "control plane: Go 1.26 or newer is needed to build $3; install it, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
  echo "building $3 ..." >&2
  (cd "$here/$1" && CGO_ENABLED=0 go build -trimpath -ldflags "$stamp" -o "$cache/.$3.partial" "$2")
  mv "$cache/.$3.partial" "$cache/$3"
}

build kubernetes go.etcd.io/etcd/server/v3 etcd
build kubernetes k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
build kubernetes k8s.io/kubernetes/cmd/kubectl kubectl
build kubernetes k8s.io/kubernetes/cmd/kube-controller-manager kube-controller-manager
build kubernetes k8s.io/kubernetes/cmd/kube-scheduler kube-scheduler
build kwok sigs.k8s.io/kwok/cmd/kwok kwok

if [ ! -d "$cache/stages" ]; then
  kwok=$(cd "$here/kwok" && go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)
  rm -rf "$cache/.stages.partial" && mkdir "$cache/.stages.partial"
  for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
    install -m 0644 "$kwok/kustomize/stage/$stage.yaml" "$cache/.stages.partial/"
  done
  mv "$cache/.stages.partial" "$cache/stages"
fi
echo "$cache"
