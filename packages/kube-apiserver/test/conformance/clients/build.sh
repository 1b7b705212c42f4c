#!/usr/bin/env bash
# Prepares one of the third-party clients: `helm`, `go` (test/conformance/clients/go) or `python` (an interpreter with the
# packages of python/requirements.txt). Each is kept in a per-user cache, with the hash of its inputs as key, so that it
# is prepared once per machine. The last line printed is the path of the program.
set -euo pipefail

client=${1:?usage: build.sh helm|go|python}
folder=$(cd "$(dirname "$0")" && pwd)
here=$folder/$client
source "$folder/../../../testing/buildcache.sh"

need() { # need PROGRAM WHAT: fails with one line that says what to install
  command -v "$1" >/dev/null || { echo "$2 not found: install it to run the conformance suite's $client client" >&2; exit 1; }
}

case $client in
  helm) need go 'Go 1.26 or newer'; inputs=("$here/go.sum"); program=helm ;;
  go) need go 'Go 1.26 or newer'; inputs=("$here"/go.sum "$here"/*.go); program=client ;;
  python) need python3 'Python 3.10 or newer'; inputs=("$here/requirements.txt" "$(command -v python3)"); program=venv/bin/python ;;
  *) echo "usage: build.sh helm|go|python, got '$client'" >&2; exit 2 ;;
esac

key=$(cat "${inputs[@]}" | sha256 | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/multicluster-engine/clients/$client-$key"
mkdir -p "$cache"

# One build at a time: clones that start together would otherwise build twice.
lock "$cache/.lock"

if [ ! -e "$cache/.complete" ]; then
  echo "preparing the $client client ..." >&2
  case $client in
    helm) (cd "$here" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' -o "$cache/$program" helm.sh/helm/v4/cmd/helm) ;;
    go) (cd "$here" && CGO_ENABLED=0 nice -n 10 go build -trimpath -ldflags '-s -w' -o "$cache/$program" .) ;;
    python)
      python3 -m venv --clear "$cache/venv"
      nice -n 10 "$cache/$program" -m pip install --quiet --require-hashes --only-binary :all: --requirement "$here/requirements.txt"
      ;;
  esac
  touch "$cache/.complete"
fi
echo "$cache/$program"
