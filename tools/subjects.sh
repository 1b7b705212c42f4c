#!/usr/bin/env bash
# Fails when a commit subject is longer than 72 characters. Checks the commits that the upstream branch does not have; where
# there are none of these, the newest 50. Commits from before the rule are left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8

most=72
since='2026-11-22T14:20:00+00:00'

range=(--max-count=50 HEAD)
if git rev-parse --verify --quiet '@{upstream}' >/dev/null 2>&1 && [ -n "$(git rev-list '@{upstream}..HEAD')" ]; then
  range=('@{upstream}..HEAD')
fi
failed=0
while IFS=$'\t' read -r commit subject; do
  [ "${#subject}" -gt "$most" ] || continue
  echo "subjects: $commit has ${#subject} characters, at most $most: $subject" >&2
  failed=1
done < <(git log --no-merges --since="$since" --format='%h%x09%s' "${range[@]}")
exit "$failed"
