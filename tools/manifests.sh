#!/usr/bin/env bash
# Renders deploy/overlays/OVERLAY into one file for `kubectl apply -f`: the operator and, through its environment, the
# components get IMAGE. Without IMAGE the overlay has to name one. Beside it definitions.yaml is deploy/definitions, in a
# file of its own so that the deletion of the one leaves the other alone. The same input gives the same bytes.
#
#   tools/manifests.sh FILE OVERLAY [IMAGE]      KUBECTL names the kubectl to use
set -euo pipefail
cd "$(dirname "$0")/.."

file=$1 overlay=$2 image=${3:-}
if [ ! -f "deploy/overlays/$overlay/kustomization.yaml" ]; then
  echo "manifests: there is no overlay $overlay; OVERLAY is one of: $(cd deploy/overlays && echo *)" >&2
  exit 2
fi
# The reference grammar of the distribution project: [host/]path[:tag][@digest], and a host has a dot or a port.
host='([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?|[A-Za-z0-9-]+:[0-9]{1,5}|localhost)'
part='[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*'
reference="^($host/)?$part(/$part)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?\$"
if [ -n "$image" ] && ! [[ $image =~ $reference ]]; then
  echo "manifests: IMAGE \"$image\" is no image reference: [HOST/]PATH[:TAG][@sha256:DIGEST] with a path in lower case" >&2
  exit 2
fi
kubectl=${KUBECTL:-kubectl}
if ! command -v "${kubectl%% *}" >/dev/null; then
  echo "manifests: ${kubectl%% *} was not found; KUBECTL names the kubectl to use" >&2
  exit 2
fi
folder=deploy/overlays/$overlay
mkdir -p "$(dirname "$file")"
partial=$file.$$
over=
trap 'rm -rf "$partial" ${over:+"$over"}' EXIT

if [ -n "$image" ]; then
  # An overlay over the overlay, since kubectl cannot set an image while it renders. kustomize takes relative paths only.
  mkdir -p .run
  over=$(mktemp -d .run/manifests.XXXXXX)
  cat >"$over/kustomization.yaml" <<END
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../$folder
patches:
  - path: image.yaml
transformers:
  - ../../deploy/image
END
  cat >"$over/image.yaml" <<END
apiVersion: apps/v1
kind: Deployment
metadata:
  name: multicluster-engine-operator
  namespace: multicluster-engine-operator
spec:
  template:
    spec:
      containers:
        - name: operator
          image: "$image"
END
  folder=$over
fi
$kubectl kustomize "$folder" >"$partial"
if grep -qF 'image-not-set.invalid/' "$partial"; then
  echo "manifests: IMAGE is not set, and deploy/overlays/$overlay names no image: there is no published one." >&2
  echo "manifests: build it (make image IMAGE=HOST/PATH:TAG), push it, and give the same IMAGE here" >&2
  exit 2
fi
mv "$partial" "$file"
$kubectl kustomize deploy/definitions >"$partial"
mv "$partial" "$(dirname "$file")/definitions.yaml"
