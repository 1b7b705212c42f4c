#!/usr/bin/env bash
# Fails when a commit subject is longer than 72 characters. Checks the commits that the upstream branch does not have; where
# there are none of these, the newest 50. Commits from before the rule are left alone.
set -euo pipefail
cd "$(dirname "$0")/.."

since='2026-11-22T14:20:00+00:00'

range=(--max-count=50 HEAD)
if git rev-parse --verify --quiet '@{upstream}' >/dev/null 2>&1 && [ -n "$(git rev-list '@{upstream}..HEAD')" ]; then
  range=('@{upstream}..HEAD')
fi
# Node counts the characters: a shell needs a UTF-8 locale for that, whose name differs between systems.
git log --no-merges --since="$since" --format='%h%x09%s' "${range[@]}" | node -e '
  const most = 72;
  for (const line of require("node:fs").readFileSync(0, "utf8").split("\n")) {
    const [commit, subject = ""] = line.split(/\t(.*)/s);
    const length = [...subject].length;
    if (length <= most) continue;
    console.error(`subjects: ${commit} has ${length} characters, at most ${most}: ${subject}`);
    process.exitCode = 1;
  }
'
