#!/usr/bin/env bash
# Builds programs with which tests install and check the product as its users do: those that are named, or helm and
# kustomize.
#
#   build.sh [helm|kustomize|promtool|actionlint|operator-verify|kstatus|oldestserver]...
#
# They come from the pinned Go modules in the folders beside this file, and are kept in a per-user cache with the hash of
# these modules as key, so that they are built once per machine. `.bin` in the root of the repository points at the
# cache. The last line printed is the folder that holds the programs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
source "$root/packages/kube-apiserver/testing/buildcache.sh"

key=$(cat "$here"/*/go.sum "$here"/*/*.go | sha256 | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/programs/$key"
mkdir -p "$cache"
ln -sfn "$cache" "$root/.bin"

build() { # build NAME MODULE PACKAGE [FLAG]...: compiles into a temporary name first, so that a cut build leaves no half program
  local name=$1 module=$2 package=$3
  shift 3
  [ -x "$cache/$name" ] && return 0
  command -v go >/dev/null || { echo "Go 1.26 or newer not found: install it to build $name" >&2; exit 1; }
  echo "building $name ..." >&2
  (cd "$here/$module" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' "$@" -o "$cache/.$name.partial" "$package")
  mv "$cache/.$name.partial" "$cache/$name"
}

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"

[ $# -gt 0 ] || set -- helm kustomize
for program in "$@"; do
  case $program in
    helm) build helm install helm.sh/helm/v4/cmd/helm -ldflags '-s -w -X helm.sh/helm/v4/internal/version.version=v4.3.1' ;;
    kustomize)
      build kustomize install sigs.k8s.io/kustomize/kustomize/v5 \
        -ldflags '-s -w -X sigs.k8s.io/kustomize/api/provenance.version=v5.8.1'
      ;;
    # Rules need no service discovery, and its clouds are most of the packages of Prometheus.
    promtool) build promtool alerts github.com/prometheus/prometheus/cmd/promtool -tags remove_all_sd ;;
    actionlint) build actionlint release github.com/rhysd/actionlint/cmd/actionlint ;;
    operator-verify) build operator-verify release github.com/operator-framework/api/cmd/operator-verify ;;
    # main.go is ours: it asks the library by which Flux and Helm tell whether an object is ready.
    kstatus) build kstatus kstatus . ;;
    # main.go is ours: it asks the packages of the oldest supported API server what they say of an object.
    oldestserver) build oldestserver oldestserver . ;;
    *) echo "programs: unknown program '$program'" >&2; exit 2 ;;
  esac
done
echo "$cache"
