import { describe, expect, it } from '@jest/globals';
import { TAINTS } from '../../../../src/api/names.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import type { Taint } from '../../../../src/domain/placement/spec/taint.js';
import { decision, member, NOW, snapshot } from '../../../support/builders/placement.js';
import { taint } from '../../../support/builders/taints.js';
import { scheduled, type Scheduled } from '../../../support/builders/scheduled.js';

/**
 * The cases of Open Cluster Management's filter of taints, one row each. docs/how-to/migrate-from-ocm.md lists those that
 * differ here; their rows say so.
 */

type Fleet = Readonly<Record<string, readonly Taint[]>>;

interface OcmCase {
  readonly tolerations?: readonly object[];
  readonly fleet: Fleet;
  /** The clusters of the decision. */
  readonly decided?: readonly string[];
  readonly selects: readonly string[];
}

function decide({ tolerations = [], fleet, decided }: Omit<OcmCase, 'selects'>, now = NOW): Scheduled {
  const clusters = Object.entries(fleet).map(([name, taints]) => member(name, { taints }));
  const stored = decided === undefined ? [] : [decision(1, decided)];
  return scheduled(snapshot({ spec: { tolerations }, fleet: clusters, stored, now }));
}

const added = (seconds: number): Partial<Taint> => ({ since: NOW - seconds * 1_000 });
const value1 = { value: 'value1' };
const value2 = { value: 'value2' };
const onlyNew = { effect: 'NoSelectIfNew' } as const;
const preferNot = { effect: 'PreferNoSelect' } as const;
const exists = { operator: 'Exists' };
const [key1, key2] = [{ key: 'key1' }, { key: 'key2' }];
const one = taint('key1', value1);
const first = { a: [one] };
const firstNew = { a: [taint('key1', onlyNew)] };
const firstPrefer = { a: [taint('key1', preferNot)] };
const newWithValue = { a: [taint('key1', { ...value1, ...onlyNew })] };

describe("taints and tolerations in the cases of Open Cluster Management's filter", () => {
  it.each<[string, OcmCase]>([
    ['NoSelect without tolerations', { fleet: first, selects: [] }],
    ['NoSelect, Equal with key and value', { tolerations: [{ ...key1, ...value1 }], fleet: first, selects: ['a'] }],
    ['NoSelect, Equal without a value', { tolerations: [key1], fleet: first, selects: [] }],
    [
      'NoSelect, Equal with another value or another key',
      {
        tolerations: [{ ...key1, ...value1 }],
        fleet: { a: [taint('key1', value2)], b: [taint('key2', value1)] },
        selects: [],
      },
    ],
    ['NoSelect, Exists with the key', { tolerations: [{ ...key1, ...exists }], fleet: first, selects: ['a'] }],
    [
      'NoSelect, Exists with an empty value',
      { tolerations: [{ ...key1, ...exists, value: '' }], fleet: first, selects: ['a'] },
    ],
    ['NoSelect, Exists with another key', { tolerations: [{ ...key2, ...exists }], fleet: first, selects: [] }],
    ['NoSelectIfNew without tolerations, not in the decision', { fleet: firstNew, selects: [] }],
    ['NoSelectIfNew without tolerations, in the decision', { fleet: firstNew, decided: ['a'], selects: ['a'] }],
    [
      'NoSelectIfNew with a toleration, not in the decision',
      { tolerations: [{ ...key1, ...exists }], fleet: firstNew, selects: ['a'] },
    ],
    [
      'NoSelectIfNew with a toleration, in the decision',
      { tolerations: [{ ...key1, ...exists }], fleet: firstNew, decided: ['a'], selects: ['a'] },
    ],
    [
      'NoSelectIfNew with another toleration, not in the decision',
      { tolerations: [{ ...key2, ...exists }], fleet: firstNew, selects: [] },
    ],
    [
      'NoSelectIfNew with another toleration, in the decision',
      { tolerations: [{ ...key2, ...exists }], fleet: firstNew, decided: ['a'], selects: ['a'] },
    ],
    ['PreferNoSelect without tolerations', { fleet: firstPrefer, selects: ['a'] }],
    ['PreferNoSelect with a toleration', { tolerations: [{ ...key1, ...exists }], fleet: firstPrefer, selects: ['a'] }],
    [
      'PreferNoSelect with another toleration',
      { tolerations: [{ ...key2, ...exists }], fleet: firstPrefer, selects: ['a'] },
    ],
    [
      'several taints, each of which one of several tolerations tolerates',
      {
        tolerations: [
          { ...key1, ...value1 },
          { ...key2, ...exists },
        ],
        fleet: { a: [one, taint('key2')], b: [one, taint('key2')] },
        selects: ['a', 'b'],
      },
    ],
    [
      'NoSelect and a toleration of every effect',
      { tolerations: [{ ...key1, ...value1, effect: '' }], fleet: first, selects: ['a'] },
    ],
    [
      'NoSelect and a toleration of another effect',
      { tolerations: [{ ...key1, ...value1, ...onlyNew }], fleet: first, selects: [] },
    ],
    [
      'NoSelect and a toleration of NoSelect',
      { tolerations: [{ ...key1, ...value1, effect: 'NoSelect' }], fleet: first, selects: ['a'] },
    ],
    [
      'NoSelectIfNew and a toleration of every effect',
      { tolerations: [{ ...key1, ...value1 }], fleet: newWithValue, selects: ['a'] },
    ],
    [
      'NoSelectIfNew and a toleration of NoSelectIfNew',
      { tolerations: [{ ...key1, ...value1, ...onlyNew }], fleet: newWithValue, selects: ['a'] },
    ],
    [
      'NoSelectIfNew and a toleration with another value',
      { tolerations: [{ ...key1, ...value2, ...onlyNew }], fleet: newWithValue, selects: [] },
    ],
    [
      'NoSelectIfNew in the decision, a toleration of every effect with another value',
      { tolerations: [{ ...key1, ...value2 }], fleet: newWithValue, decided: ['a'], selects: ['a'] },
    ],
    [
      'NoSelectIfNew in the decision, a toleration of NoSelectIfNew with another value',
      { tolerations: [{ ...key1, ...value2, ...onlyNew }], fleet: newWithValue, decided: ['a'], selects: ['a'] },
    ],
    [
      'NoSelectIfNew in the decision, a toleration of NoSelect',
      {
        tolerations: [{ ...key1, ...value2, effect: 'NoSelect' }],
        fleet: newWithValue,
        decided: ['a'],
        selects: ['a'],
      },
    ],
    [
      'tolerationSeconds of 10, in the decision for 8, 9 and 10 seconds',
      {
        tolerations: [{ ...key1, ...exists, tolerationSeconds: 10 }],
        fleet: { a: [taint('key1', added(8))], b: [taint('key1', added(9))], c: [taint('key1', added(10))] },
        decided: ['a', 'b', 'c'],
        selects: ['a', 'b'],
      },
    ],
    [
      'tolerationSeconds lets no cluster in, where Open Cluster Management selects it for 10 seconds',
      {
        tolerations: [{ ...key1, ...exists, tolerationSeconds: 10 }],
        fleet: { a: [taint('key1', added(8))], b: [] },
        selects: ['b'],
      },
    ],
    [
      'three clusters, of which key and value or the key are tolerated of two',
      {
        tolerations: [
          { ...key1, ...exists },
          { ...key2, ...value2 },
        ],
        fleet: { a: [one], b: [taint('key2', value2)], c: [taint('key2', { value: 'value3' })] },
        selects: ['a', 'b'],
      },
    ],
    [
      'tolerations of other effects than those of the taints',
      {
        tolerations: [
          { ...key1, ...exists, ...preferNot },
          { ...key2, ...exists, effect: 'NoSelect' },
          { key: 'key3', ...exists, effect: 'NoSelect' },
        ],
        fleet: { a: [one], b: [taint('key2', onlyNew)], c: [taint('key3', preferNot)], d: [] },
        selects: ['c', 'd'],
      },
    ],
    [
      'a cluster that has not joined yet, whose taint is NoSelect in Open Cluster Management and NoSelectIfNew here',
      {
        fleet: { a: [taint(TAINTS.unreachable, onlyNew)], b: [taint(TAINTS.unreachable, onlyNew)] },
        decided: ['a'],
        selects: ['a'],
      },
    ],
    [
      'a cluster that is unreachable at once, which Open Cluster Management drops and which stays here for 300 seconds',
      { fleet: { a: [taint(TAINTS.unreachable, added(0))], b: [] }, decided: ['a', 'b'], selects: ['a', 'b'] },
    ],
    [
      'several tolerations of a taint, of which the longest counts whatever their order',
      {
        tolerations: [
          { ...key1, ...exists, tolerationSeconds: 10 },
          { ...key1, ...value1, tolerationSeconds: 30 },
        ],
        fleet: { a: [taint('key1', { ...value1, ...added(20) })], b: [taint('key1', { ...value2, ...added(20) })] },
        decided: ['a', 'b'],
        selects: ['a'],
      },
    ],
    [
      'a taint NoSelectIfNew that comes to a cluster of the decision',
      { fleet: { c: [], d: [taint('key4', onlyNew)] }, decided: ['c', 'd'], selects: ['c', 'd'] },
    ],
  ])('a decision with %s is that of the row', (_case, { selects, ...given }) => {
    expect([...selectedClusters(decide(given))].sort()).toEqual(selects);
  });

  it.each([
    ['Equal without a key', [value1], 'spec.tolerations[0].key', 'an empty key needs operator Exists'],
    [
      'Exists with a value',
      [{ ...exists, ...value1 }],
      'spec.tolerations[0].value',
      'value must be empty with operator',
    ],
  ])('a Placement with %s is misconfigured', (_case, tolerations, field, message) => {
    expect(compileSpec({ tolerations }).problem).toEqual({ field, message: expect.stringContaining(message) });
  });

  it('a decision is looked at again when the first toleration ends', () => {
    const tolerations = [{ ...key1, ...exists, tolerationSeconds: 10 }];
    const fleet = { a: [taint('key1', added(8))], b: [taint('key1', added(9))], c: [taint('key1', added(10))] };

    expect(decide({ tolerations, fleet, decided: ['a', 'b'] }).lookAgain).toBe(NOW + 1_000);
  });

  it('clusters leave one after the other as their tolerations end, and with a taint that is old when it comes', () => {
    const timed = (key: string, tolerationSeconds: number): object => ({ key, ...exists, tolerationSeconds });
    const tolerations = [timed('key1', 10), timed('key2', 20)];
    const fleet = { a: [taint('key1', added(0))], b: [taint('key2', added(0))], c: [taint('key2', added(60))], d: [] };
    const left = (now: number, over: Fleet = {}): readonly string[] =>
      [
        ...selectedClusters(decide({ tolerations, fleet: { ...fleet, ...over }, decided: ['a', 'b', 'c', 'd'] }, now)),
      ].sort();

    expect(left(NOW)).toEqual(['a', 'b', 'd']);
    expect(left(NOW + 10_000)).toEqual(['b', 'd']);
    expect(left(NOW + 20_000)).toEqual(['d']);
    expect(left(NOW + 20_000, { d: [taint('key3', added(60))] })).toEqual([]);
  });
});
