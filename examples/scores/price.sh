#!/bin/sh
# Writes the claim price/per-hour of clusters. Reads one line for each: its name and its price, such as `prod-eu-1 0.35`.
# Run it with the token of the ServiceAccount `price`, whose claims begin with its name (deploy/score-writers):
#   export KUBECONFIG=…
#   some-price-list | sh examples/scores/price.sh
# It owns this claim of a cluster and no other field: what an agent reports stays, and an agent takes nothing of it away.
set -eu
while read -r cluster price; do
  kubectl apply --server-side --subresource=status --field-manager=price -f - <<END
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata:
  name: "$cluster"
status:
  clusterClaims:
    - name: price/per-hour
      value: "$price"
END
done
