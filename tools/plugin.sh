#!/usr/bin/env bash
# Makes the programs of this checkout in a folder, for a PATH: `kubectl mce` with its completion, and `multicluster-engine`.
#
#   tools/plugin.sh FOLDER
set -euo pipefail
main=$(cd "$(dirname "$0")/.." && pwd)/dist/src/main.js
mkdir -p "$1"
folder=$(cd "$1" && pwd)

program() { # program NAME MODULE [WORD]: a program that calls the module with this first word
  printf '#!/bin/sh\nexec node "%s"%s "$@"\n' "$2" "${3:+ $3}" >"$folder/$1"
  chmod +x "$folder/$1"
}

# Messages name the program as it was called, which Node sees in the name of the module.
ln -sf "$main" "$folder/kubectl-mce.js"
program kubectl-mce "$folder/kubectl-mce.js"
program kubectl_complete-mce "$folder/kubectl-mce.js" __complete
program multicluster-engine "$main"
