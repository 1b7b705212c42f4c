#!/usr/bin/env bash
# Makes the content of the image in an empty folder. The image has two parts, since only one depends on the architecture:
#
#   tools/image/build.sh program FOLDER   the bundle with what it reads, its licences, and the folders for data
#   tools/image/build.sh runtime FOLDER   the Node of the PATH with its shared libraries, and their licences
#
# `program` installs the packages of package-lock.json unless node_modules is there. `runtime` runs on Debian and its
# derivatives, whose packages hold the licences of the libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { # fail TEXT: one line, and the end
  echo "image: $1" >&2
  exit 1
}

part=${1-} out=${2-}
case "$part:${out:+folder}" in
  program:folder | runtime:folder) ;;
  *) fail "usage: tools/image/build.sh program|runtime FOLDER, got '$*'" ;;
esac
mkdir -p "$out"
[ -z "$(ls -A "$out")" ] || fail "$out is not empty"
umask 022

program() {
  [ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
  npm run --silent bundle
  mkdir -p "$out/app/dist" "$out/licenses/multicluster-engine" "$out/data" "$out/tmp" "$out/app/docs/reference"
  cp -R dist/bundle "$out/app/dist/"
  cp -R package.json LICENSE crds deploy examples tools/image/health.js "$out/app/"
  cp docs/reference/openapi.json "$out/app/docs/reference/"
  cp LICENSE NOTICE dist/bundle/LICENSES.txt "$out/licenses/multicluster-engine/"
  chmod -R a+rX,go-w "$out"
  # A new volume gets owner and mode of the folder that it is mounted over.
  chmod 0700 "$out/data"
  chmod 1777 "$out/tmp"
}

install_library() { # install_library FILE: to the same path, with the licence of its package
  local package
  mkdir -p "$out$(dirname "$1")"
  cp -L "$1" "$out$1"
  # Where /lib is a link to /usr/lib, the package can have either path.
  package=$(dpkg -S "$1" 2>/dev/null || dpkg -S "/usr$1" 2>/dev/null) || fail "no package of the system has $1"
  package=${package%%:*}
  mkdir -p "$out/licenses/$package"
  cp -L "/usr/share/doc/$package/copyright" "$out/licenses/$package/copyright"
}

runtime() {
  local node linked library license
  node=$(node --print process.execPath)
  mkdir -p "$out/usr/local/bin" "$out/etc" "$out/licenses/node"
  cp -L "$node" "$out/usr/local/bin/node"

  linked=$(ldd "$node") || fail "ldd cannot read $node"
  case $linked in *'not found'*) fail "$node lacks libraries: $linked" ;; esac
  for library in $(sed -n 's,^[^/]*\(/[^ ]*\) (0x.*,\1,p' <<<"$linked"); do
    install_library "$library"
  done
  cp -RL /usr/share/common-licenses "$out/licenses/common"

  for license in "${node%/bin/node}/LICENSE" "${node%/bin/node}/share/doc/nodejs/LICENSE"; do
    if [ -f "$license" ]; then cp -L "$license" "$out/licenses/node/LICENSE"; fi
  done
  [ -f "$out/licenses/node/LICENSE" ] || fail "the licence of $node was not found"

  echo 'nonroot:x:65532:65532:nonroot:/data:/sbin/nologin' >"$out/etc/passwd"
  echo 'nonroot:x:65532:' >"$out/etc/group"
  echo 'hosts: files dns' >"$out/etc/nsswitch.conf"
  chmod -R a+rX,go-w "$out"
}

"$part"
