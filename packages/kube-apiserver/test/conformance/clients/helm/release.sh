# Installs, upgrades, rolls back and uninstalls a release. Prints every command with its output. Run by helm.nightly.test.ts.
export HELM_CACHE_HOME=$HOME/cache HELM_CONFIG_HOME=$HOME/config HELM_DATA_HOME=$HOME/data KUBECACHEDIR=$HOME/kube

run() { # run ARGUMENT...: helm, in the namespace of the test
  echo "$ helm $*"
  "$HELM" --namespace helm "$@"
  echo "-> $?"
}
shown() { # shown: the objects of the release, as stored by the server
  echo "$ kubectl get"
  "$KUBECTL" --namespace helm get --output json --show-managed-fields --ignore-not-found configmap/shop-settings configmap/shop-cluster configmap/shop-hook \
    secret/shop-key service/shop role/shop basket/shop basket/shop-extra
}

run version --short
run install shop "$CHART" --create-namespace --wait --timeout 120s
run install shop "$CHART" --wait --timeout 120s
shown
run list --all
run upgrade shop "$CHART" --set greeting=welcome --set extra=true --set size=2 --wait --timeout 120s
shown
run get values shop
run get manifest shop
run upgrade shop "$CHART" --set size=0 --wait --timeout 120s
run status shop | LC_ALL=C sort # Helm lists kinds in no order
"$KUBECTL" --namespace helm apply --server-side --force-conflicts --field-manager=someone -f - <<OBJECT
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-settings"},"data":{"greeting":"mine"}}
OBJECT
run upgrade shop "$CHART" --set greeting=third --wait --timeout 120s
run upgrade shop "$CHART" --set greeting=third --wait --timeout 120s --force-conflicts
run rollback shop 1 --wait --timeout 120s --force-conflicts
shown
run history shop
run uninstall shop --wait --timeout 120s
shown
run list --all
echo "$ kubectl get what is left"
"$KUBECTL" --namespace helm get secrets,configmaps,baskets --output name | grep -v kube-root-ca.crt
"$KUBECTL" delete customresourcedefinition baskets.helm.clients.example.com
