import { beforeAll, expect, it } from '@jest/globals';

import { describeForeign, linesOf } from './foreign.js';

const SCENARIO_MS = 150_000;

describeForeign('Python\'s kubernetes', 'python', (program, targets) => {
  let seen: readonly (readonly string[])[] = [];
  beforeAll(async () => {
    seen = await Promise.all(targets().map((target) => linesOf('"$PROGRAM" python/day.py', target, { PROGRAM: program })));
  }, SCENARIO_MS);

  it('sees the same on each server', () => {
    for (const lines of seen) expect(lines).toEqual(seen[0]);
  });

  it('does its work to the end', () => {
    expect(seen).not.toEqual([]);
    for (const lines of seen) {
      expect(lines).toContain('pages: [["one", "three"], ["two"]]');
      expect(lines).toContain('watched: [["MODIFIED", "two", {"at": "1"}], ["DELETED", "three", {"at": "0"}], ["DELETED", "two", {"at": "1"}]]');
      expect(lines.at(-1)).toBe('exit code: 0');
    }
  });
});
