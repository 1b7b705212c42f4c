#!/usr/bin/env bash
# Compiles, runs the tests and prints the counts of each run; the last line is `N passed, N failed` over all of them.
# The exit code is 0 only when something ran and nothing failed. test/README.md says which file belongs to which run.
#
#   test/run.sh test      what needs Node and a kubectl: unit, property and integration tests on the embedded API server,
#                         the main job end to end, the commands of README.md
#   test/run.sh all       these, the slow files, and what needs kube-apiserver, with the coverage gate
#   test/run.sh nightly   what takes hours: campaigns, load, repeated property tests, the differential run, other clients,
#                         Kubernetes' own specs, integration and end-to-end tests on the embedded server, the
#                         installation on the oldest supported release, mutants
set -uo pipefail
cd "$(dirname "$0")/.."

suite=${1:-test}
results=.run/results
package=packages/kube-apiserver/dist

jest() { # jest NAME ARGUMENT...: one Jest run; its report and exit code lie in the results folder
  local name=$1
  shift
  echo "$name: running ..."
  node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
    --json --outputFile="$results/$name.json" "$@" 2>&1 | tee "$results/$name.log"
  local code=${PIPESTATUS[0]}
  echo "$code" >"$results/$name.exit"
  if [ "$code" -ne 0 ]; then again "$name"; fi
}

again() { # again NAME: the failed files of a run once more, one at a time; the summary names the tests that pass now
  local file files=()
  while IFS= read -r file; do
    files+=("$file")
  done < <(node test/summary.js failed-files "$results/$1.json")
  if [ ${#files[@]} -eq 0 ]; then return; fi
  echo "$1: running the failed files again ..."
  # A test that fails may leave a server or a process: Jest's workers are ended with it, a run in one process would wait.
  node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
    --json --outputFile="$results/$1.again.json" --runInBand --forceExit --runTestsByPath "${files[@]}"
}

program() { # program NAME FILE ARGUMENT...: a program that counts as one test by its exit code
  local name=$1
  shift
  echo "$name: running ..."
  node "$@"
  echo $? >"$results/$name.exit"
}

at_least() { # at_least N: how many files at a time fit on two CPUs, or on this machine
  node -p "Math.max($1, os.availableParallelism())"
}

control_plane() { # builds kube-apiserver, helm and the rest once a machine; where that fails, suites name what is missing (and fail with CI=true)
  bash packages/kube-apiserver/testing/control-plane/build.sh >/dev/null || true
  bash test/support/programs/build.sh >/dev/null || true
}

end_to_end() { # end_to_end [SUFFIX]: each file with a server of its own; then all their requests are compared with the rights in deploy/
  export CONTROL_PLANE_AUDIT=$PWD/.run/audit # the servers' request logs
  rm -rf "$CONTROL_PLANE_AUDIT"
  # They wait for processes for more than half of the time.
  jest "e2e${1-}" --maxWorkers="$(at_least 5)" \
    --testPathPatterns '/dist/test/e2e/' --testPathIgnorePatterns '\.nightly\.test\.js$'
  jest "rights${1-}" --runInBand --testMatch '**/dist/test/e2e/audit.js'
  unset CONTROL_PLANE_AUDIT
}

# What is installed, and the main job, on the control plane of the oldest supported release of Kubernetes. Without users.slow:
# the type check of 1.30 warns in the status of policies of every field `namespace`, which its evaluation knows.
oldest_release() {
  bash test/support/programs/build.sh oldesthub >/dev/null || true # the suites name what is missing
  KUBEBUILDER_ASSETS=$PWD/.bin/oldesthub jest oldest --maxWorkers="$(at_least 2)" --testPathPatterns \
    '/dist/test/integration/(api|engine)/' '/dist/test/integration/deploy/(?!users\.)' \
    '/dist/test/integration/placement/controllers\.' \
    '/dist/test/field/(uninstall|warnings|defaults)\.' '/dist/test/e2e/(mainjob|mainjobupkeep|docshub\.slow|helm\.slow)\.'
}

property_tests() { # ten runs of every property test, each with new seeds
  local file files=() round
  while IFS= read -r file; do
    files+=("$file")
  done < <(grep -rlE "from 'fast-check'" --include='*.test.js' dist/test "$package/test" | grep -v '\.nightly\.')
  for round in 1 2 3 4 5 6 7 8 9 10; do
    jest "property-$round" --runTestsByPath "${files[@]}"
  done
}

rm -rf "$results"
mkdir -p "$results"
node test/prune.js # what was compiled from files that are gone
npm run --silent build || { echo "0 passed, 1 failed"; exit 1; }

case $suite in
  test)
    export CONTROL_PLANE=embedded
    jest test --maxWorkers="$(at_least 4)" --testPathIgnorePatterns '\.(slow|nightly)\.test\.js$' '/dist/test/e2e/' "/$package/test/(conformance|testing)/"
    jest main-job --testPathPatterns '/dist/test/e2e/(mainjob|readme)\.test\.js$'
    ;;
  all)
    control_plane
    # Counters make code twice as slow: they are on for the tests that the gates need, and off for all others.
    counted=(
      '/dist/test/(domain|answers|operator|runtime|gateway|golden|agent|cli|console)/.*(?<!\.slow|\.nightly)\.test\.js$'
      # Those that are left out run the command line as processes, which are not counted.
      '/dist/test/field/(?!gitops|yaml).*(?<!\.slow|\.nightly)\.test\.js$'
      '/dist/test/integration/(kube|clusters|inventories|engine|placement)/.*(?<!\.slow|\.nightly)\.test\.js$'
      '/dist/test/field/kubeconfig/.*\.slow\.test\.js$'
    )
    # Some of these wait for a server: the embedded one, which starts at once. The others are asked on kube-apiserver, and
    # these at night.
    CONTROL_PLANE=embedded jest counted --maxWorkers="$(at_least 3)" --coverage --testPathPatterns "${counted[@]}"
    jest unit --maxWorkers="$(at_least 4)" --testPathIgnorePatterns '\.nightly\.test\.js$' '/dist/test/e2e/' "${counted[@]}"
    end_to_end
    program faults --max-semi-space-size=64 dist/test/faults/main.js --plans 20000 --seed 1
    program specs --max-semi-space-size=64 dist/test/faults/specs/main.js --specs 100 --seed 1
    ;;
  nightly)
    control_plane
    export NIGHTLY=true
    jest nightly --runInBand --testPathPatterns '\.nightly\.test\.js$' \
      '/dist/test/gateway/(leavingclients|attacks)\.' '/dist/test/integration/gateway/decision\.' '/dist/test/conformance/'
    jest integration --testPathPatterns '/dist/test/(field|integration)/' --testPathIgnorePatterns '\.nightly\.test\.js$'
    property_tests
    program differential "$package/test/conformance/differential/run.js" 5000 1
    oldest_release
    program kubernetes "$package/test/conformance/kubernetes/run.js" embedded
    CONTROL_PLANE=embedded jest embedded --testPathPatterns '/dist/test/integration/'
    CONTROL_PLANE=embedded end_to_end -embedded
    program mutants dist/tools/mutate/run.js
    program faults --max-semi-space-size=64 dist/test/faults/main.js --plans 100000 --seed "$(date +%Y%m%d)" \
      --exhaustive crashes --exhaustive events --exhaustive bytes
    # Half a million plans: each night another tenth of them.
    program requests --max-semi-space-size=64 dist/test/faults/main.js --exhaustive requests --share 10 --seed "$(date +%Y%m%d)"
    program faults-real dist/test/faults/real/main.js --plans 200 --seed "$(date +%Y%m%d)"
    program soak dist/test/faults/soak/main.js --minutes 30
    program specs --max-semi-space-size=64 dist/test/faults/specs/main.js --exhaustive --specs 20000 --seed "$(date +%Y%m%d)"
    program mistakes dist/test/faults/mistakes/run.js
    ;;
  *)
    echo "usage: test/run.sh test|all|nightly, got '$suite'" >&2
    exit 2
    ;;
esac

node test/summary.js counts "$results" "$suite"
