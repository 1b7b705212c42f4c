#!/usr/bin/env bash
# Builds helm and kustomize, with which tests install the product as its users do.
#
# The programs come from the pinned Go module beside this file and are kept in a per-user cache whose key is the hash of
# go.mod, so that a second clone on the same machine builds nothing. The last line printed is the folder that holds
# them; `.bin` in the root of the repository points at it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

key=$(git hash-object "$here/go.mod" | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/programs/$key"
mkdir -p "$cache"
ln -sfn "$cache" "$root/.bin"

build() { # build PACKAGE NAME FLAGS: compiles into a temporary name first, so that a cut build leaves no half program
  [ -x "$cache/$2" ] && return 0
  command -v go >/dev/null || { echo "programs: Go 1.26 or newer is needed to build $2" >&2; exit 1; }
  echo "building $2 ..." >&2
  (cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $3" -o "$cache/.$2.$$" "$1")
  mv "$cache/.$2.$$" "$cache/$2"
}

build helm.sh/helm/v4/cmd/helm helm '-X helm.sh/helm/v4/internal/version.version=v4.3.1'
build sigs.k8s.io/kustomize/kustomize/v5 kustomize '-X sigs.k8s.io/kustomize/api/provenance.version=v5.8.1'
echo "$cache"
