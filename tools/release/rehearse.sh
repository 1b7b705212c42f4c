#!/usr/bin/env bash
# Rehearses a release in a folder that must be empty or not be there: makes it from a clone of this commit, as the workflow
# does, with a key made for the rehearsal; makes the release before it; then installs, upgrades and measures
# (test/support/rehearsal/run.ts). Nothing is published: the names of registry and sources end in `.invalid`.
#
#   tools/release/rehearse.sh FOLDER [VERSION]      VERSION defaults to that of package.json
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../.."
root=$PWD

fail() { # fail TEXT: one line, and the end
  echo "rehearse: $1" >&2
  exit 1
}

[ $# -ge 1 ] || fail "usage: tools/release/rehearse.sh FOLDER [VERSION]"
for program in git node npm go openssl; do
  command -v "$program" >/dev/null || fail "$program was not found"
done
folder=${1%/}
[[ $folder == /* ]] || folder=$from/$folder
version=${2:-$(node -p 'JSON.parse(fs.readFileSync("package.json")).version')}
export REGISTRY=registry.invalid/rehearsal REPOSITORY=https://sources.invalid/rehearsal SIGNING_KEY=$folder/rehearsal.key
[ ! -e "$folder" ] || { [ -d "$folder" ] && [ -z "$(ls -A "$folder")" ]; } || fail "$folder is not an empty folder"
[ -z "$(git status --porcelain)" ] || fail "the tree differs from the commit: $(git status --porcelain | head -n 3 | tr '\n' ' ')"
node tools/releasenotes.js "v$version" >/dev/null
before=$(sed -n 's/^Upgrades are rehearsed from `\([^`]*\)`.*/\1/p' CHANGELOG.md | head -n 1)
git rev-parse --quiet --verify "${before:-nothing}^{commit}" >/dev/null ||
  fail "CHANGELOG.md has no line 'Upgrades are rehearsed from \`COMMIT\`', or this clone has no commit '$before'"

# What installs: built by this checkout, once a machine.
for program in helm krew operator-verify; do
  [ -x ".bin/$program" ] || bash test/support/programs/build.sh "$program" >/dev/null
done

begin=$SECONDS
mkdir -p "$folder"
openssl ecparam -name prime256v1 -genkey -noout -out "$SIGNING_KEY"
openssl pkey -in "$SIGNING_KEY" -pubout -out "$folder/rehearsal.pub"

clone() { # clone COMMIT FOLDER: the sources of a commit with their packages
  git clone --quiet --no-checkout "$root" "$2"
  git -C "$2" checkout --quiet --detach "$1"
  (cd "$2" && npm ci --silent --ignore-scripts --no-audit --no-fund --no-update-notifier)
}

echo "== the release, from a clone of $(git rev-parse --short=12 HEAD)"
clone HEAD "$folder/sources"
ln -sfn "$(readlink .bin)" "$folder/sources/.bin"
bash "$folder/sources/tools/release/build.sh" "$version" "$folder/release"
(cd "$folder/release" && du -ah --apparent-size . | sort -k 2)
echo "made in $((SECONDS - begin)) s"

echo "== the release before it, $before"
clone "$before" "$folder/before-sources"
mkdir "$folder/before"
(
  cd "$folder/before-sources"
  bash tools/image/build.sh program "$folder/before/image"
  for chart in multicluster-engine multicluster-engine-agent; do
    values=deploy/helm/$chart/values.yaml
    sed -e "s|^  repository: .*|  repository: $REGISTRY/multicluster-engine|" -e 's|^  tag: .*|  tag: before|' "$values" >"$folder/values.yaml"
    mv "$folder/values.yaml" "$values"
    "$folder/sources/.bin/helm" package "deploy/helm/$chart" --destination "$folder/before" >/dev/null
  done
)

echo "== installations and the upgrade"
bash "$folder/sources/packages/kube-apiserver/testing/control-plane/build.sh" >/dev/null
node "$folder/sources/dist/test/support/rehearsal/run.js" "$folder"
echo "The rehearsal took $((SECONDS - begin)) s. Remove $folder before the next one."
