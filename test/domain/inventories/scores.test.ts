import { describe, expect, it } from '@jest/globals';
import { type SourceObject, scoreClaims, withScores } from '../../../src/domain/inventories/source.js';

const NOW = Date.parse('2022-01-01T00:00:00Z');
const EXPIRED = '2021-12-31T23:59:30Z';
const LATER = '2022-01-01T01:00:00Z';

function score(name: string, status: unknown, metadata: object = {}): SourceObject {
  return { metadata: { namespace: 'cluster1', name, ...metadata }, status };
}

function scores(...list: readonly (readonly [name: unknown, value: unknown])[]): object {
  return { scores: list.map(([name, value]) => ({ name, value })) };
}

describe('scores of add-ons of Open Cluster Management', () => {
  it('each value is a claim of its resource and name', () => {
    const objects = [score('test', scores(['score2', -7], ['score1', 30])), score('other', scores(['a', 0]))];

    expect(scoreClaims(objects, NOW)).toEqual({
      claims: [
        { name: 'score/other/a', value: '0' },
        { name: 'score/test/score1', value: '30' },
        { name: 'score/test/score2', value: '-7' },
      ],
      until: undefined,
    });
  });

  // The rows of pkg/placement/plugins/addon/addon_test.go: a score that is missing or expired was 0 there, and is no claim here.
  it.each([
    ['no addon scores', [], []],
    ['part of addon scores generated', [score('test', scores(['score1', 30]))], ['30']],
    ['part of addon scores expired', [score('test', { ...scores(['score1', 30]), validUntil: EXPIRED })], []],
    ['all the addon scores generated', [score('test', { ...scores(['score1', 40]), validUntil: LATER })], ['40']],
  ])('as in Open Cluster Management: %s', (_case, objects, values) => {
    expect(scoreClaims(objects, NOW).claims.map(({ value }) => value)).toEqual(values);
  });

  it('the first time at which a score expires is known', () => {
    const objects = [score('a', { ...scores(['x', 1]), validUntil: LATER }), score('b', scores(['x', 1]))];

    expect(scoreClaims(objects, NOW).until).toBe(Date.parse(LATER));
    expect(scoreClaims(objects, Date.parse(LATER)).claims).toEqual([{ name: 'score/b/x', value: '1' }]);
  });

  it.each([
    ['without a status', score('a', undefined)],
    ['without scores', score('a', {})],
    ['with a value that is no integer', score('a', scores(['x', '1'], ['y', 0.5], ['z', null]))],
    ['without a name', score('a', scores(['', 1], [undefined, 1]))],
    ['with a name that no claim can have', score('a', scores(['x'.repeat(253), 1]))],
    ['that is being deleted', score('a', scores(['x', 1]), { deletionTimestamp: EXPIRED })],
  ])('a score %s is left out', (_what, object) => {
    expect(scoreClaims([object], NOW).claims).toEqual([]);
  });

  it('a cluster has at most 64 claims of scores', () => {
    const many = Array.from({ length: 100 }, (_, index) => [`s${100 + index}`, index] as const);
    const { claims } = scoreClaims([score('a', scores(...many))], NOW);

    expect([claims.length, claims.at(-1)?.name]).toEqual([64, 'score/a/s163']);
  });

  it('the claims join those of the cluster, each name once', () => {
    const cluster = { name: 'c', source: 's', labels: {}, taints: [], availability: undefined };
    const own = [
      { name: 'score/a/x', value: 'forged' },
      { name: 'zone', value: 'a' },
    ];
    const added = { claims: [{ name: 'score/a/x', value: '1' }], until: undefined };

    expect(withScores({ ...cluster, claims: own }, added).claims).toEqual([
      { name: 'score/a/x', value: '1' },
      { name: 'zone', value: 'a' },
    ]);
    expect(withScores({ ...cluster, claims: own }, { claims: [], until: undefined }).claims).toEqual(own);
  });
});
