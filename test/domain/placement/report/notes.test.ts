import { describe, expect, it } from '@jest/globals';
import { MESSAGE_LIMIT } from '../../../../src/api/names.js';
import { changeNote } from '../../../../src/domain/placement/report/notes.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { decision, member, names, snapshot, type World } from '../../../support/builders/placement.js';

function noteOf(world: Partial<World>): string | undefined {
  const seen = snapshot(world);
  const decided = schedule(seen);
  return changeNote(seen, decided, new Set(selectedClusters(decided)));
}

const wantsGold = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }],
};

describe('changeNote', () => {
  it('there is no note for a decision that holds the same clusters', () => {
    expect(noteOf({ fleet: [member('a')], stored: [decision(1, ['a'])] })).toBeUndefined();
  });

  it('clusters that left for one cause are named together, the cause of most of them first', () => {
    const fleet = [
      member('a', { labels: { tier: 'silver' } }),
      member('b'),
      member('c', { labels: { tier: 'silver' } }),
      member('d', { labels: { tier: 'gold' } }),
    ];

    expect(noteOf({ spec: wantsGold, fleet, stored: [decision(1, ['a', 'b', 'c'])] })).toBe(
      'added 1 cluster: d; removed 3 clusters: a, c (label tier=silver, wanted tier=gold), b (no label tier, wanted tier=gold)',
    );
  });

  it.each([60, 150, 253])(
    'the note fits in an event with names of %d characters, and says how many it leaves out',
    (length) => {
      const long = (prefix: string): readonly string[] =>
        names(90).map((name) => `${prefix}${name}`.padEnd(length, 'x'));
      const left = long('left').map((name, n) => member(name, { labels: { tier: `silver${n % 3}` } }));
      const came = long('came').map((name) => member(name, { labels: { tier: 'gold' } }));
      const note = noteOf({ spec: wantsGold, fleet: [...left, ...came], stored: [decision(1, long('left'))] }) ?? '';

      expect(note.length).toBeLessThanOrEqual(MESSAGE_LIMIT);
      expect(note).toMatch(/^added 90 clusters: came\S+.* and \d+ more; removed 90 clusters: left/);
    },
  );
});
