#!/usr/bin/env bash
# Says what a build is made from, so that the program, the labels of the image and the metrics agree.
#
#   tools/identity.sh                        all of it, as JSON
#   tools/identity.sh version|commit|date    one value; `tag` is the version as the tag of an image
#
# The version is that of package.json where HEAD has its tag, else VERSION+dev.COMMIT, with .modified where a file differs
# from the commit. The date is that of the commit, or SOURCE_DATE_EPOCH: the clock is not read, so that a build can be repeated.
# Where there is no checkout of git, as in a container, the variables MCE_BUILD_VERSION, MCE_BUILD_COMMIT and MCE_BUILD_DATE
# say it; without them the version is VERSION+dev.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { # fail TEXT: one line, and the end
  echo "identity: $1" >&2
  exit 1
}

release=$(sed -n 's/^  "version": "\([^"]*\)".*$/\1/p' package.json)
[ -n "$release" ] || fail "package.json has no version"
version=${MCE_BUILD_VERSION:-} commit=${MCE_BUILD_COMMIT:-} date=${MCE_BUILD_DATE:-}
# A source archive may lie within the checkout of something else.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
  head=$(git rev-parse HEAD)
  commit=${commit:-$head}
  if [ "$commit" = "$head" ]; then
    modified=
    git diff-index --quiet HEAD -- 2>/dev/null || modified=.modified
    if [ -z "$modified" ] && git tag --points-at HEAD | grep -qxF "v$release"; then
      version=${version:-$release}
    fi
    version=${version:-$release+dev.$(echo "$head" | cut -c 1-12)$modified}
    date=${date:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)}
  fi
fi
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
  [[ $SOURCE_DATE_EPOCH =~ ^[0-9]{1,11}$ ]] || fail "SOURCE_DATE_EPOCH must be seconds, got \"$SOURCE_DATE_EPOCH\""
  date=$(node --print "new Date($SOURCE_DATE_EPOCH * 1000).toISOString().replace('.000', '')")
fi
if [ -z "$version" ]; then version="$release+dev${commit:+.$(echo "$commit" | cut -c 1-12)}"; fi

[[ $version =~ ^"$release"(\+[0-9A-Za-z.-]+)?$ ]] || fail "MCE_BUILD_VERSION must be $release or $release+…, got \"$version\""
[[ $commit =~ ^([0-9a-f]{40}|[0-9a-f]{64})?$ ]] || fail "MCE_BUILD_COMMIT must be a whole commit, got \"$commit\""
[[ $date =~ ^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$ ]] || fail "MCE_BUILD_DATE must be a time in UTC, got \"$date\""

case ${1:-json} in
  json) printf '{ "version": "%s", "commit": "%s", "date": "%s" }\n' "$version" "$commit" "$date" ;;
  version) echo "$version" ;;
  # A tag has no plus sign.
  tag) echo "${version//+/-}" ;;
  commit) echo "$commit" ;;
  date) echo "$date" ;;
  *) fail "usage: tools/identity.sh [version|tag|commit|date], got '$1'" ;;
esac
