import { describe, expect, it } from '@jest/globals';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { decisionObject, readDecision, type StoredDecision } from '../../../../src/domain/placement/stored/decision.js';
import { contentOf, type Details } from '../../../../src/domain/placement/stored/items.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { decision, member, prefixes, snapshot, type World } from '../../../support/builders/placement.js';

const OWNER = { namespace: 'team', name: 'web', uid: 'u' };
const spec = { decisionDetails: { labels: ['region'], claims: ['platform'] } };
const EU = { 'label/region': 'eu', 'claim/platform': 'aws' };

const inEu = (name: string): FleetMember => member(name, { labels: { region: 'eu' }, claims: { platform: 'aws' } });
const said = (
  details: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Pick<StoredDecision, 'details'> => ({
  details: new Map(Object.entries(details)),
});

/** The kinds of the writes, and the details once all of it is published. */
function published(over: Partial<World>, known?: Details): readonly [readonly string[], object] {
  const before = snapshot({ spec, ...over });
  const seen = { ...before, published: before.published && { ...before.published, ...(known && { details: known }) } };
  const { writes } = sliceChanges(seen, schedule(seen));
  const stored = prefixes(seen.stored, writes).at(-1) ?? [];
  return [writes.map(({ kind }) => kind), Object.fromEntries(stored.flatMap(({ details }) => [...details]))];
}

describe('the values of labels and claims in the items of a decision', () => {
  it('a cluster that comes in has those of its write, empty where it has none', () => {
    expect(published({ fleet: [inEu('a'), member('b')] })).toEqual([
      ['create'],
      { a: EU, b: { 'label/region': '', 'claim/platform': '' } },
    ]);
  });

  it('another value is one write, and the same value none', () => {
    const stored = [decision(1, ['a', 'b'], said({ a: EU, b: { ...EU, 'label/region': 'us' } }))];

    expect(published({ fleet: [inEu('a'), inEu('b')], stored })).toEqual([['update'], { a: EU, b: EU }]);
    expect(published({ fleet: [inEu('a')], stored: [decision(1, ['a'], said({ a: EU }))] })).toEqual([[], { a: EU }]);
  });

  it('a spec without them removes them', () => {
    const stored = [decision(1, ['a'], said({ a: EU }))];

    expect(published({ spec: {}, fleet: [inEu('a')], stored })).toEqual([['update'], {}]);
  });

  it.each([[{ ...spec, paused: true }], [{ decisionDetails: { labels: ['a b'] } }]])(
    'with the spec %j they stay as they are, also when their object was deleted',
    (frozen) => {
      const old = { a: { 'label/region': 'us' } };
      const stored = [decision(1, ['a'], said(old))];

      expect(published({ spec: frozen, fleet: [inEu('a')], stored })).toEqual([[], old]);
      const status = { observedGeneration: 1, phase: 'Satisfied' };
      expect(published({ spec: frozen, fleet: [inEu('a')], remembered: [['a']], status }, said(old).details)).toEqual([
        ['create'],
        old,
      ]);
    },
  );

  it('a cluster that is gone and held keeps what its item has said', () => {
    const budget = { disruptionBudget: { maxRemovals: 0, windowSeconds: 60 } };
    const stored = [decision(1, ['a', 'b'], said({ a: { 'label/region': 'eu' } }))];

    expect(published({ spec: { ...spec, ...budget }, fleet: [inEu('b')], stored })).toEqual([
      ['update'],
      { a: { 'label/region': 'eu', 'claim/platform': '' }, b: EU },
    ]);
  });

  it('an object has them beside the other fields, and is read again', () => {
    const object = decisionObject(OWNER, 1, contentOf(['a', 'b'], said({ a: EU })));

    expect(object.status.decisions).toEqual([
      { clusterName: 'a', reason: '', ...EU },
      { clusterName: 'b', reason: '' },
    ]);
    expect(readDecision(object, OWNER)).toMatchObject({ intact: true, ...said({ a: EU }) });
  });

  it.each([{ 'label/region': 7 }, { region: 'eu' }, { 'label/': 'eu' }, { 'claim/a': null }])(
    'an item with the field %j, which others have written, is written again',
    (field) => {
      const object = decisionObject(OWNER, 1, contentOf(['a']));
      const edited = { ...object, status: { decisions: [{ clusterName: 'a', reason: '', ...field }] } };

      expect(readDecision(edited, OWNER)).toMatchObject({ clusters: ['a'], intact: false });
    },
  );
});
