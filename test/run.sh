#!/usr/bin/env bash
# Builds from nothing and runs the tests: unit and integration in one Jest run, end-to-end in another, one file at a
# time, and after it the check of what these asked for. The last line is `N passed, N failed` over all; the exit code is
# 0 only when something ran and nothing failed.
#
#   test/run.sh all        everything but the campaign
#   test/run.sh unit       unit and integration tests, with the coverage gate
#   test/run.sh e2e        end-to-end tests
#   test/run.sh conformance  the embedded API server against kube-apiserver: the suite, 5,000 sequences, Kubernetes' own specs,
#                          and the integration and end-to-end tests on it
#   test/run.sh campaign   the files test/**/campaign.ts, which Jest does not find by their name: crashes at many more points
set -uo pipefail
cd "$(dirname "$0")/.."

suite=${1:-all}
results=.run/results

jest() { # jest NAME ARGUMENT...: a run of its own, whose outcome lies in the results folder
  local name=$1
  shift
  echo "$name: running ..."
  node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
    --json --outputFile="$results/$name.json" "$@"
  echo $? >"$results/$name.exit"
}

program() { # program NAME FILE ARGUMENT...: one that counts as a test by its exit code
  local name=$1
  shift
  echo "$name: running ..."
  node "$@"
  echo $? >"$results/$name.exit"
}

control_plane() { # the programs of the real API server; where they cannot be had, the suites say so (and fail with CI=true)
  bash packages/kube-apiserver/testing/control-plane/build.sh >/dev/null || true
}

end_to_end() { # end_to_end [SUFFIX]: then what they asked of their servers, all together, is held against the rights in deploy/
  export CONTROL_PLANE_AUDIT=$PWD/.run/audit # the servers' request logs
  rm -rf "$CONTROL_PLANE_AUDIT"
  jest "e2e${1-}" --runInBand --testPathPatterns '/dist/test/e2e/'
  jest "rights${1-}" --runInBand --testMatch '**/dist/test/e2e/audit.js'
}

embedded() { # what runs against kube-apiserver otherwise, against the embedded server
  export CONTROL_PLANE=embedded
  jest integration-embedded --testPathPatterns '/dist/test/integration/'
  end_to_end -embedded
  unset CONTROL_PLANE
}

rm -rf dist packages/kube-apiserver/dist "$results"
mkdir -p "$results"
npm run --silent build || { echo "0 passed, 1 failed"; exit 1; }

case $suite in
  all)
    control_plane
    jest unit --coverage --testPathIgnorePatterns '/dist/test/e2e/'
    end_to_end
    CONTROL_PLANE=embedded jest embedded --runInBand --testPathPatterns '/dist/test/e2e/mainjob\.test' # a taste of what conformance runs
    ;;
  unit)
    control_plane
    jest unit --coverage --testPathIgnorePatterns '/dist/test/e2e/'
    ;;
  e2e)
    control_plane
    end_to_end
    ;;
  conformance)
    control_plane
    jest conformance --testPathPatterns '/packages/kube-apiserver/dist/test/conformance/'
    program differential packages/kube-apiserver/dist/test/conformance/differential/run.js 5000 1
    program kubernetes packages/kube-apiserver/dist/test/conformance/kubernetes/run.js embedded
    embedded
    ;;
  campaign)
    control_plane
    jest campaign --runInBand --testMatch '**/dist/test/**/campaign.js'
    ;;
  *)
    echo "usage: test/run.sh all|unit|e2e|conformance|campaign, got '$suite'" >&2
    exit 2
    ;;
esac

node test/summary.js "$results"
