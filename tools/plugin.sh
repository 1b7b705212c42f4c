#!/usr/bin/env bash
# Makes the programs of this checkout in a folder, for a PATH: `kubectl mce` with its completion, and `multicluster-engine`.
#
#   tools/plugin.sh FOLDER
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)
main=$checkout/dist/src/main.js
mkdir -p "$1"
folder=$(cd "$1" && pwd)

program() { # program NAME MODULE [WORD]: a program that calls the module with this first word
  cat >"$folder/$1" <<END
#!/bin/sh
[ -e "$2" ] || { echo "$1: $2 is missing: make plugin (in $checkout)" >&2; exit 1; }
exec node "$2"${3:+ $3} "\$@"
END
  chmod +x "$folder/$1"
}

# Messages name the program as it was called, which Node sees in the name of the module.
ln -sf "$main" "$folder/kubectl-mce.js"
program kubectl-mce "$folder/kubectl-mce.js"
program kubectl_complete-mce "$folder/kubectl-mce.js" __complete
program multicluster-engine "$main"
