import { beforeAll, expect, it } from '@jest/globals';

import { describeForeign, linesOf } from './foreign.js';

const SCENARIO_MS = 150_000;
/** The program's end may fall into the renewal of its Lease, or not. */
const CUT_OFF = 'context canceled';

describeForeign('client-go and controller-runtime', 'go', (program, targets) => {
  let seen: readonly (readonly string[])[] = [];
  beforeAll(async () => {
    seen = await Promise.all(targets().map(async (target) => (await linesOf('"$PROGRAM"', target, { PROGRAM: program })).filter((line) => !line.includes(CUT_OFF))));
  }, SCENARIO_MS);

  it('sees the same on each server', () => {
    for (const lines of seen) expect(lines).toEqual(seen[0]);
  });

  it('does its work to the end', () => {
    expect(seen).not.toEqual([]);
    for (const lines of seen) {
      expect(lines).toContain('informer: ["add early at 0","add late at 1","update early at 0 to early at 2","delete late at 1","delete early at 2"]');
      expect(lines).toContain('cache: ["add before","add red","update red to red","update red to red","update red to red","delete red"]');
      expect(lines).toContain('elections: ["first leads","first stopped","second leads","second stopped"]');
      expect(lines.at(-1)).toBe('exit code: 0');
    }
  });
});
