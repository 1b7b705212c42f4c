#!/usr/bin/env bash
# Builds programs with which tests install and check the product as its users do: those that are named, or helm and
# kustomize.
#
#   build.sh [helm|kustomize|promtool|prometheus|actionlint|operator-verify|krew|kstatus|proxy|oldestserver|oldesthub|argocd|kueue|flux|helm-controller|ocm]...
#
# They come from the pinned Go modules in the folders beside this file, and are kept in a per-user cache with the hash of
# their module as key, so that they are built once per machine. `.bin` in the root of the repository points at a folder
# with links to them. The last line printed is this folder.
set -euo pipefail
shopt -s nullglob # most modules have no sources of ours

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
source "$root/packages/kube-apiserver/testing/buildcache.sh"

key=$(cat "$here"/*/go.sum "$here"/*/*.go | sha256 | cut -c1-16)
programs="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/programs"
cache="$programs/$key"
mkdir -p "$cache"
ln -sfn "$cache" "$root/.bin"

build() { # build NAME MODULE PACKAGE [FLAG]...: compiles into a temporary name first, so that a cut build leaves no half program
  local name=$1 module=$2 package=$3 kept
  shift 3
  kept="$programs/$module-$(cat "$here/$module"/go.sum "$here/$module"/*.go | sha256 | cut -c1-16)"
  mkdir -p "$kept"
  ln -sfn "$kept/$name" "$cache/$name"
  [ -x "$kept/$name" ] && return 0
  command -v go >/dev/null || { echo "Go 1.26 or newer not found: install it to build $name" >&2; exit 1; }
  echo "building $name ..." >&2
  (cd "$here/$module" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' "$@" -o "$kept/.$name.partial" "$package")
  mv "$kept/.$name.partial" "$kept/$name"
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
    # Neither rules nor fixed targets need service discovery, and its clouds are most of the packages of Prometheus.
    promtool | prometheus) build "$program" alerts "github.com/prometheus/prometheus/cmd/$program" -tags remove_all_sd ;;
    actionlint) build actionlint release github.com/rhysd/actionlint/cmd/actionlint ;;
    operator-verify) build operator-verify release github.com/operator-framework/api/cmd/operator-verify ;;
    krew) build krew krew sigs.k8s.io/krew/cmd/krew ;;
    # main.go is ours: it asks the library by which Flux and Helm tell whether an object is ready.
    kstatus) build kstatus kstatus . ;;
    # main.go is ours: it asks the packages by which client-go chooses a proxy.
    proxy) build proxy proxy . ;;
    # main.go is ours: it asks the packages of the oldest supported API server what they say of an object.
    oldestserver) build oldestserver oldestserver . ;;
    # The control plane of the oldest supported release, in a folder as KUBEBUILDER_ASSETS: what it lacks is of the current
    # release. Nine minutes of CPU.
    oldesthub)
      release=$(cd "$here/oldesthub" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
      minor=${release#v1.}
      version=k8s.io/component-base/version
      for name in kube-apiserver kube-controller-manager kube-scheduler; do
        build "$name" oldesthub "k8s.io/kubernetes/cmd/$name" \
          -ldflags "-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}"
      done
      current=$(bash "$root/packages/kube-apiserver/testing/control-plane/build.sh" | tail -n 1)
      oldest=$(dirname "$(readlink "$cache/kube-apiserver")")
      for name in etcd kubectl kwok stages; do
        ln -sfn "$current/$name" "$oldest/$name"
      done
      ln -sfn "$oldest" "$cache/oldesthub"
      ;;
    # main.go is ours: the controllers and the repo-server of Argo CD in one program. Its definitions and rights lie in the
    # module, and are copied beside it.
    argocd)
      build argocd argocd .
      if [ ! -d "$cache/argocd-manifests" ]; then
        module=$(cd "$here/argocd" && go list -m -f '{{.Dir}}' github.com/argoproj/argo-cd/v3)
        cp -r "$module/manifests" "$cache/.argocd-manifests.partial"
        chmod -R u+w "$cache/.argocd-manifests.partial"
        mv "$cache/.argocd-manifests.partial" "$cache/argocd-manifests"
      fi
      ;;
    # main.go is ours: the controllers of MultiKueue without the rest of Kueue. Its definitions lie in the module. secretreader
    # is the plugin of SIG Multicluster by which Kueue gets the credentials of a cluster from a Secret.
    kueue)
      build kueue kueue .
      build secretreader kueue sigs.k8s.io/cluster-inventory-api/cmd/secretreader-plugin
      module=$(cd "$here/kueue" && go list -m -f '{{.Dir}}' sigs.k8s.io/kueue)
      ln -sfn "$module/config/components/crd/bases" "$cache/kueue-definitions"
      ;;
    # kustomize-controller. Its definitions lie in the module.
    flux)
      build flux flux github.com/fluxcd/kustomize-controller
      module=$(cd "$here/flux" && go list -m -f '{{.Dir}}' github.com/fluxcd/kustomize-controller)
      ln -sfn "$module/config/crd/bases" "$cache/flux-definitions"
      ;;
    helm-controller)
      build helm-controller helmcontroller github.com/fluxcd/helm-controller
      module=$(cd "$here/helmcontroller" && go list -m -f '{{.Dir}}' github.com/fluxcd/helm-controller)
      ln -sfn "$module/config/crd/bases" "$cache/helm-controller-definitions"
      ;;
    # main.go is ours: the placement and the registration controllers of Open Cluster Management in one program. The
    # definitions of what they read lie in the module of its API.
    ocm)
      build ocm ocm .
      api=$(cd "$here/ocm" && go list -m -f '{{.Dir}}' open-cluster-management.io/api)
      ln -sfn "$api" "$cache/ocm-api"
      ;;
    *) echo "programs: unknown program '$program'" >&2; exit 2 ;;
  esac
done
echo "$cache"
