#!/usr/bin/env bash
# From an empty machine to nginx on three of five clusters: docs/how-to/ten-minutes.md.
#
#   run.sh up            a hub with Argo CD, and five clusters that join it; nginx on three of them
#   run.sh show          both sides: what the hub has decided and why, and what Argo CD has deployed
#   run.sh lose          stops a cluster that has nginx, and waits until another one has it
#   run.sh back          starts it again, and waits until it has no nginx
#   run.sh down          ends everything, and removes it
#
# Everything is in the folder STATE, by default .run/ten-minutes of the repository: logs, and the kubeconfig with the contexts hub
# and edge-1 to edge-5.
#
# The clusters are processes of this machine: API servers that store what is deployed and run no container. With CLUSTERS=kind
# they are containers, and REPOSITORY is a Git repository with the folder deploy beside this file, which they can reach;
# ARGO_CD_MANIFEST is the manifest by which Argo CD is installed.
set -euo pipefail
umask 077 # the folder has credentials of administrators

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
state=${STATE:-$root/.run/ten-minutes}
clusters=${CLUSTERS:-processes}
edges=(edge-1 edge-2 edge-3 edge-4 edge-5)
export KUBECONFIG=$state/kubeconfig
# What `down` may remove has this file, which `up` makes first.
mark=$state/.made-by-ten-minutes

mce() { node "$root/dist/src/main.js" "$@"; }
begun=$SECONDS
say() { printf '%4d s  %s\n' $((SECONDS - begun)) "$*"; }
fail() { echo "$*" >&2; exit 1; }
until_true() { # until_true SECONDS WHAT COMMAND...
  local seconds=$1 end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "still waiting for $what after $seconds s"
    sleep 1
  done
}

selected() { # the clusters of the decision, one a line
  kubectl get placementdecisions -n argocd -l cluster.fleetmgmt.io/placement=web \
    -o jsonpath='{range .items[*].status.decisions[*]}{.clusterName}{"\n"}{end}' | sort
}
deployed() { # the clusters whose Application is in sync and stays, one a line
  kubectl get applications -n argocd -o go-template='{{range .items}}{{if not .metadata.deletionTimestamp}}{{if eq (printf "%s" (or .status.sync.status "")) "Synced"}}{{.metadata.name}}{{"\n"}}{{end}}{{end}}{{end}}' |
    sed 's/^web-//' | sort
}
follows() { # whether Argo CD has deployed to as many clusters as are selected, and to these
  [ "$(selected | wc -l)" = 3 ] && [ "$(deployed)" = "$(selected)" ]
}

# --- clusters that are processes -------------------------------------------------------------------------------------------

start_process() { # start_process NAME [PORT]
  mkdir -p "$state/$1"
  (cd "$state" && exec node "$root/dist/src/main.js" standalone --data-dir "$state/$1" --listen "127.0.0.1:${2:-0}" \
    --gateway-listen 127.0.0.1:0 --console-listen none >"$state/$1.log" 2>&1 </dev/null) &
  echo $! >"$state/$1.pid"
}
is_up() {
  kill -0 "$(cat "$state/$1.pid" 2>/dev/null)" 2>/dev/null || fail "$1 has ended: $(tail -n 1 "$state/$1.log" 2>/dev/null)"
  grep -q '^Ctrl-C stops it' "$state/$1.log"
}
stop_process() { # stop_process NAME
  local pid
  pid=$(cat "$state/$1.pid" 2>/dev/null) || return 0
  rm "$state/$1.pid"
  kill "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
}
port_of() { sed -n 's|.*server: https://127.0.0.1:\([0-9]*\).*|\1|p' "$state/$1/kubeconfig"; }

make_processes() {
  local name files
  for name in hub "${edges[@]}"; do start_process "$name"; done
  for name in hub "${edges[@]}"; do
    until_true 300 "$name" is_up "$name"
    sed -e "s/: standalone\$/: $name/" -e "s/: admin\$/: $name/" "$state/$name/kubeconfig" >"$state/$name/context"
  done
  files=$(printf "$state/%s/context:" hub "${edges[@]}")
  KUBECONFIG=${files%:} kubectl config view --flatten --raw >"$state/kubeconfig"
  chmod 600 "$state/kubeconfig"
}

# What Argo CD's own manifest would run in the hub, from its module, pinned by checksums: three controllers.
argo_cd_processes() {
  local programs manifests part file redis=$((20000 + RANDOM % 10000))
  programs=$(bash "$root/test/support/programs/build.sh" argocd | tail -n 1)
  manifests=$programs/argocd-manifests
  kubectl apply --server-side -k "$manifests/crds" >/dev/null
  kubectl wait --for=condition=Established crd applications.argoproj.io applicationsets.argoproj.io appprojects.argoproj.io >/dev/null
  for part in applicationset-controller application-controller-roles; do
    for file in "$manifests/base/$part"/*-{sa,role,rolebinding}.yaml; do kubectl apply -n argocd -f "$file" >/dev/null; done
  done
  kubectl apply -n argocd -f "$manifests/base/config/argocd-cm.yaml" -f "$manifests/base/config/argocd-secret.yaml" >/dev/null
  kubectl patch secret argocd-secret -n argocd --type merge -p "{\"stringData\":{\"server.secretkey\":\"$RANDOM$RANDOM$RANDOM\"}}" >/dev/null
  kubectl apply -f - >/dev/null <<'END'
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: argocd}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
END
  start_argo_cd repo-server $redis --disable-tls --address=127.0.0.1 --port=$((redis + 1)) --metrics-address=127.0.0.1 --metrics-port=$((redis + 2))
  start_argo_cd application-controller $redis --namespace=argocd --repo-server-plaintext --repo-server=127.0.0.1:$((redis + 1)) --metrics-port=$((redis + 3)) --persist-resource-health
  start_argo_cd applicationset-controller $redis --namespace=argocd --repo-server-plaintext --argocd-repo-server=127.0.0.1:$((redis + 1)) \
    --metrics-addr=127.0.0.1:$((redis + 4)) --probe-addr=127.0.0.1:$((redis + 5)) --webhook-addr=127.0.0.1:$((redis + 6))
}
start_argo_cd() { # start_argo_cd PART REDIS FLAG...
  local part=$1 redis=$2 folder=$state/argocd-$1 account=argocd-$1
  shift 2
  mkdir -p "$folder"
  if [ "$part" != repo-server ]; then
    kubectl config view --raw --minify --flatten --context hub >"$folder/kubeconfig"
    KUBECONFIG=$folder/kubeconfig kubectl config unset users >/dev/null
    KUBECONFIG=$folder/kubeconfig kubectl config set-credentials hub --token "$(kubectl create token "$account" -n argocd --duration 24h)" >/dev/null
    chmod 600 "$folder/kubeconfig"
  fi
  (cd "$folder" && exec env KUBECONFIG="$folder/kubeconfig" HOME="$folder" TMPDIR="$folder" REDIS_SERVER=127.0.0.1:$redis \
    ARGOCD_GPG_ENABLED=false ARGOCD_ASK_PASS_SOCK="$folder/askpass.sock" \
    "$programs/argocd" "$part" "$@" >"$folder.log" 2>&1 </dev/null) &
  echo $! >"$folder.pid"
}

make_repository() {
  git init --quiet --initial-branch=main "$state/repository"
  cp -r "$here/deploy" "$state/repository/"
  git -C "$state/repository" add --all
  git -C "$state/repository" -c user.name=ten-minutes -c user.email=ten-minutes@example.com commit --quiet --message 'nginx'
  repository=file://$state/repository
}

# --- clusters of kind ------------------------------------------------------------------------------------------------------

make_kind() {
  local name image=localhost/multicluster-engine:ten
  make -C "$root" image IMAGE=$image
  for name in hub "${edges[@]}"; do
    kind create cluster --name "$name"
    kind load docker-image $image --name "$name"
    kubectl config rename-context "kind-$name" "$name"
  done
  kubectl config use-context hub
  make -C "$root" deploy IMAGE=$image
  kubectl rollout status deployment/multicluster-engine-operator -n multicluster-engine-operator --timeout=5m
}

# --- the same for both -----------------------------------------------------------------------------------------------------

flags_of() { # what cluster add has to be told of a cluster
  case $clusters in
    kind) echo "--image localhost/multicluster-engine:ten --hub-url https://hub-control-plane:6443 --api-endpoint https://$1-control-plane:6443" ;;
    *) echo "--image localhost/multicluster-engine:ten" ;;
  esac
}

up() {
  local name repository=${REPOSITORY:-}
  [ ! -e "$mark" ] || fail "$state is in use: end what runs there with $0 down"
  [ ! -e "$state" ] || fail "$state exists and is of somebody else: name another folder with STATE"
  [ -e "$root/dist/src/main.js" ] || make -C "$root" build
  mkdir -p "$state"
  touch "$mark"
  case $clusters in
    processes) make_processes ;;
    kind)
      [ -n "${ARGO_CD_MANIFEST:-}" ] && [ -n "$repository" ] || fail 'kind needs ARGO_CD_MANIFEST and REPOSITORY'
      make_kind
      ;;
    *) fail "CLUSTERS must be processes or kind, got $clusters" ;;
  esac
  say 'a hub and five clusters run'

  kubectl apply -f "$root/examples/engine.yaml" >/dev/null
  kubectl create namespace argocd >/dev/null
  case $clusters in
    processes) argo_cd_processes ;;
    kind) kubectl apply -n argocd --server-side -f "$ARGO_CD_MANIFEST" ;;
  esac
  kubectl apply -f "$root/examples/argocd/decisions.yaml" >/dev/null
  kubectl wait --for=condition=Ready mce/engine --timeout=5m >/dev/null
  say 'the hub has an engine and Argo CD'

  for name in "${edges[@]}"; do
    # shellcheck disable=SC2046 # several flags
    mce cluster add "$name" --set edge --argo-cd web $(flags_of "$name") >"$state/$name.manifest" 2>>"$state/add.log"
    # For this page: the hub notices after 40 s that a cluster is silent, and not after four minutes.
    kubectl patch mcl "$name" --type merge -p '{"spec":{"leaseDurationSeconds":10}}' >/dev/null
    kubectl --context "$name" apply -f "$state/$name.manifest" >/dev/null
    rm "$state/$name.manifest"
  done
  kubectl wait --for=condition=ControlPlaneHealthy "${edges[@]/#/mcl/}" --timeout=5m >/dev/null
  say 'five clusters have joined'

  kubectl apply -f "$here/fleet.yaml" >/dev/null
  kubectl wait --for=condition=Ready placement/web -n argocd --timeout=1m >/dev/null
  say "selected: $(selected | paste -sd ' ')"

  [ -n "$repository" ] || make_repository
  sed "s|https://git.example.com/web.git|$repository|" "$root/examples/argocd/applicationset.yaml" | kubectl apply -f - >/dev/null
  until_true 300 'Argo CD to deploy to the selected clusters' follows
  say "nginx is on: $(deployed | paste -sd ' ')"
}

has_begun() {
  [ -e "$mark" ] || fail "nothing runs in $state: begin with $0 up"
  kubectl get --raw /readyz --request-timeout=5s >/dev/null 2>&1 || fail "the hub does not answer: see $state/hub.log; begin again with $0 down and $0 up"
}

show() {
  local name
  has_begun
  echo '--- the hub'
  mce explain placement web -n argocd
  echo
  echo '--- Argo CD'
  kubectl get applications -n argocd -o custom-columns='APPLICATION:.metadata.name,SYNC:.status.sync.status,DELETED:.metadata.deletionTimestamp'
  echo
  echo '--- the clusters'
  for name in "${edges[@]}"; do
    case $(kubectl --context "$name" get deployment nginx -n web -o name --request-timeout=5s 2>&1) in
      deployment.apps/nginx) echo "$name  nginx" ;;
      *NotFound*) echo "$name  no nginx" ;;
      *) echo "$name  does not answer" ;;
    esac
  done
}

lose() {
  local before lost
  has_begun
  [ ! -e "$state/lost" ] || fail "$(cat "$state/lost") has stopped already: start it again with $0 back"
  before=$(selected)
  lost=$(head -n 1 <<<"$before")
  echo "$lost" >"$state/lost"
  case $clusters in
    processes) stop_process "$lost" ;;
    kind) docker stop "$lost-control-plane" >/dev/null ;;
  esac
  say "$lost has stopped"
  replaced() { [ "$(selected | wc -l)" = 3 ] && ! selected | grep -qx "$lost"; }
  until_true 300 'another cluster to be selected' replaced
  say "another one takes its place: $(comm -13 <(echo "$before") <(selected) | paste -sd ' ')"
  until_true 300 'Argo CD to deploy to it' follows
  say "nginx is on: $(deployed | paste -sd ' ')"
}

back() {
  local lost
  has_begun
  [ -e "$state/lost" ] || fail "every cluster runs: stop one with $0 lose"
  lost=$(cat "$state/lost")
  case $clusters in
    processes)
      start_process "$lost" "$(port_of "$lost")"
      until_true 120 "$lost" is_up "$lost"
      ;;
    kind) docker start "$lost-control-plane" >/dev/null ;;
  esac
  say "$lost is back"
  emptied() { ! kubectl get application "web-$lost" -n argocd >/dev/null 2>&1 && ! kubectl --context "$lost" get deployment nginx -n web >/dev/null 2>&1; }
  until_true 600 "Argo CD to remove nginx from $lost" emptied
  rm "$state/lost"
  say "Argo CD has removed nginx from $lost; selected: $(selected | paste -sd ' ')"
}

down() {
  local name
  [ -e "$mark" ] || fail "$state was not made by $0 up, and is not removed"
  case $clusters in
    processes) for name in argocd-application-controller argocd-applicationset-controller argocd-repo-server "${edges[@]}" hub; do stop_process "$name"; done ;;
    kind) for name in hub "${edges[@]}"; do kind delete cluster --name "$name"; done ;;
  esac
  rm -rf "$state"
}

case ${1:-} in
  up | show | lose | back | down) "$1" ;;
  *) fail "usage: $0 up|show|lose|back|down" ;;
esac
