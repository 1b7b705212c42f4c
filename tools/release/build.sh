#!/usr/bin/env bash
# Makes everything that a release publishes, in a folder that must be empty or not be there, and publishes nothing: the
# workflow does that, and `make rehearse` installs from it. docs/how-to/release.md lists what the folder has.
#
#   tools/release/build.sh VERSION FOLDER
#
# REGISTRY     host and path of the registry of image and charts
# REPOSITORY   the https address of the sources, which the npm package and the formula name
# SIGNING_KEY  file with a private key of the curve P-256; its public half is written to FOLDER/release.pub
# PLATFORMS    such as linux/amd64,linux/arm64: docker buildx builds the image for them, with provenance and SBOM. Without it
#              the image is for this machine's processor, with its Node, and no engine is needed.
set -euo pipefail # so no `grep -q`: it ends the program before it
from=$PWD
cd "$(dirname "$0")/../.."
PATH=$PWD/.bin:$PATH

fail() { # fail TEXT: one line, and the end
  echo "release: $1" >&2
  exit 1
}

[ $# -eq 2 ] || fail "usage: tools/release/build.sh VERSION FOLDER, got '$*'"
version=$1 folder=${2%/}
[[ $folder == /* ]] || folder=$from/$folder
for program in git node npm openssl tar gzip kubectl helm ${PLATFORMS:+docker}; do
  command -v "$program" >/dev/null || fail "$program was not found$([ "$program" != helm ] || echo ": run \`make programs\`")"
done
tar --version | grep -F 'GNU tar' >/dev/null || fail "tar is not GNU tar"
notes=$(node tools/releasenotes.js "v$version") || exit 1
[ -z "$(git status --porcelain)" ] || fail "the tree differs from the commit: $(git status --porcelain | head -n 3 | tr '\n' ' ')"
[ ! -e "$folder" ] || { [ -d "$folder" ] && [ -z "$(ls -A "$folder")" ]; } || fail "$folder is not an empty folder"
[[ ${REGISTRY-} =~ ^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$ ]] || fail "REGISTRY must be HOST[:PORT][/PATH], got '${REGISTRY-}'"
[[ ${REPOSITORY-} =~ ^https://[^[:space:]\'\"]+$ ]] || fail "REPOSITORY must be an https address, got '${REPOSITORY-}'"
openssl pkey -in "${SIGNING_KEY-}" -noout -text 2>/dev/null | grep -F prime256v1 >/dev/null ||
  fail "SIGNING_KEY must be a file with a private key of the curve P-256, got '${SIGNING_KEY-}'"

# The folder gets its name when everything is in it.
mkdir -p "$(dirname "$folder")"
out=$(mktemp -d "$folder.XXXXXX") work=$(mktemp -d)
trap 'rm -rf "$out" "$work"' EXIT
umask 022
chmod 0755 "$out"
export MCE_BUILD_VERSION=$version
created=$(bash tools/identity.sh date)
revision=$(bash tools/identity.sh commit)
[ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
npm run --silent build

digest_of() { # digest_of ARCHIVE: the digest by which a registry serves the image of an OCI archive
  tar -xOf "$1" index.json | node -p 'JSON.parse(fs.readFileSync(0, "utf8")).manifests[0].digest'
}

replace() { # replace FILE EXPRESSION...: edits it in place, for which macOS has other flags
  local file=$1
  shift
  sed "$@" "$file" >"$work/replaced"
  cat "$work/replaced" >"$file"
}

echo "image ..."
bash tools/image/build.sh program "$work/program"
archive=$out/multicluster-engine-$version.oci.tar
values=(VERSION="$version" CREATED="$created" REVISION="$revision" SOURCE="$REPOSITORY")
if [ -n "${PLATFORMS-}" ]; then
  base=$(sed -n 's/^ARG BASE=//p' Dockerfile)
  values+=(BASE_DIGEST="$(docker buildx imagetools inspect "$base" --format '{{.Manifest.Digest}}')")
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) docker buildx build --platform "$PLATFORMS" --provenance=mode=max \
    --sbom=true "${values[@]/#/--build-arg=}" --output "type=oci,dest=$archive" .
else
  bash tools/image/build.sh runtime "$work/runtime"
  mkdir "$work/data"
  mv "$work/program/data" "$work/data/data"
  node dist/tools/image/oci.js --file "$archive" --created "$created" "${values[@]/#/--arg=}" \
    "$work/runtime" "$work/program" "$work/data=65532:65532" >/dev/null
fi
image=$REGISTRY/multicluster-engine@$(digest_of "$archive")

echo "charts ..."
for chart in multicluster-engine multicluster-engine-agent; do
  cp -R "deploy/helm/$chart" "$work/$chart"
  replace "$work/$chart/values.yaml" -e "s|^  repository: .*|  repository: ${image%@*}|" -e "s|^  digest: .*|  digest: ${image#*@}|"
  helm template "$work/$chart" | grep -F "image: \"$image\"" >/dev/null || fail "the chart $chart does not install $image"
done
runbooks=$REPOSITORY/blob/v$version/docs/runbooks/
alerts=$work/multicluster-engine/templates/monitoring.yaml
replace "$alerts" -e "s|runbook: docs/runbooks/|runbook_url: $runbooks|"
grep -qF "runbook_url: $runbooks" "$alerts" || fail "no alert names its page"
for chart in multicluster-engine multicluster-engine-agent; do
  helm package "$work/$chart" --version "$version" --destination "$out/charts" >/dev/null
done

echo "npm package, krew, Homebrew ..."
mkdir -p "$work/npm/dist"
cp -R "$work/program/app/dist/bundle" "$work/npm/dist/bundle"
node -p 'JSON.parse(fs.readFileSync("package.json")).files.concat("package.json", "README.md", "LICENSE").join("\n")' |
  grep -vx dist/bundle | tar -cf - -T - | tar -xf - -C "$work/npm"
(
  cd "$work/npm"
  npm pkg set repository.type=git "repository.url=git+$REPOSITORY.git" "homepage=$REPOSITORY#readme" "bugs.url=$REPOSITORY/issues"
  npm pack --silent --ignore-scripts --pack-destination "$out" >/dev/null
)
package=multicluster-engine-$version.tgz
uri=$REPOSITORY/releases/download/v$version/$package
node dist/tools/krew.js "$out/$package" "$uri" "$REPOSITORY" >"$out/mce.yaml"
node dist/tools/brew.js "$out/$package" "$uri" "$REPOSITORY" >"$out/multicluster-engine.rb"

echo "manifests, bundle for OLM ..."
bash tools/manifests.sh "$out/install.yaml" default "$image"
mkdir -p "$work/bundle/manifests"
cp crds/*.yaml deploy/olm/manifests/*.yaml "$work/bundle/manifests/"
cp -R deploy/olm/metadata "$work/bundle/"
replace "$work/bundle/manifests/multicluster-engine.clusterserviceversion.yaml" -e "s|image-not-set.invalid/multicluster-engine|$image|"
node dist/tools/image/oci.js --dockerfile deploy/olm/bundle.Dockerfile --created "$created" \
  --file "$out/multicluster-engine-bundle-$version.oci.tar" "$work/bundle" >/dev/null

echo "list of packages, checksums, signature ..."
npm sbom --sbom-format=spdx --package-lock-only >"$out/sbom.spdx.json"
printf '%s\n\nImage: `%s`\n' "$notes" "$image" >"$out/notes.md"
(cd "$out" && openssl dgst -sha256 -r $(find . -type f | cut -c 3- | LC_ALL=C sort) >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$out/"
openssl dgst -sha256 -sign "$SIGNING_KEY" -out "$out/SHA256SUMS.sig" "$out/SHA256SUMS"
openssl pkey -in "$SIGNING_KEY" -pubout -out "$out/release.pub"

[ ! -e "$folder" ] || rmdir "$folder"
mv "$out" "$folder"
echo "$folder"
