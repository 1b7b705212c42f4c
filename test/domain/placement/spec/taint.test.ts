import { describe, expect, it } from '@jest/globals';
import { TAINTS } from '../../../../src/api/names.js';
import { readHubTaints, readTaints } from '../../../../src/domain/placement/spec/taint.js';

const AT = '2026-01-02T03:04:05Z';
const MS = Date.parse(AT);
const lost = { key: TAINTS.unreachable, effect: 'NoSelect' };
const draining = { key: TAINTS.draining, effect: 'NoSelect' };
const read = (spec: object, taintTimes: readonly object[] = []): readonly string[] =>
  readTaints(spec, { taintTimes }).map(({ key, effect, since }) => `${key}:${effect} ${since}`);

describe('the taints of a cluster', () => {
  it.each<[string, readonly string[], object, (readonly object[])?]>([
    ['cordoned by its field', [`${TAINTS.cordoned}:NoSelectIfNew undefined`], { maintenance: 'Cordoned' }],
    [
      'drained by its field, since the hub has seen it',
      [`${TAINTS.draining}:NoSelect ${MS}`],
      { maintenance: 'Draining' },
      [{ ...draining, since: AT }],
    ],
    [
      'drained by its field and by a taint with its time',
      [`${TAINTS.draining}:NoSelect ${MS}`],
      { maintenance: 'Draining', taints: [{ ...draining, timeAdded: AT }] },
    ],
    ['with an unknown field', [], { maintenance: 'Other' }],
    [
      'whose list somebody has replaced: the taint of the hub counts',
      [`gpu:NoSelect undefined`, `${TAINTS.unreachable}:NoSelect ${MS}`],
      { taints: [{ key: 'gpu', effect: 'NoSelect' }] },
      [{ ...lost, since: AT }],
    ],
    [
      'whose taint of the hub has become another one',
      [`${TAINTS.unavailable}:NoSelect ${MS}`],
      { taints: [{ ...lost, key: TAINTS.unavailable, timeAdded: AT }] },
      [{ ...lost, since: AT }],
    ],
    [
      'without the taint of a person that has a time: it is gone',
      [],
      {},
      [{ key: 'gpu', effect: 'NoSelect', since: AT }],
    ],
  ])('%s', (_what, expected, spec, ...times) => {
    expect(read(spec, ...times)).toEqual(expected);
  });
});

describe('the taints of a cluster on a hub', () => {
  const joined = (status: string): object => ({ conditions: [{ type: 'ManagedClusterJoined', status }] });
  const never = [`${TAINTS.unreachable}:NoSelectIfNew undefined`];
  it.each<[string, readonly string[], object, object | undefined]>([
    ['that has an agent and no status: it has never joined', never, { hubAcceptsClient: true }, undefined],
    ['that has an agent which has never joined', never, { hubAcceptsClient: true }, joined('False')],
    ['whose agent is refused and has never joined', never, { hubAcceptsClient: false }, joined('False')],
    ['that has joined', [], { hubAcceptsClient: true }, joined('True')],
    ['without an agent', [], {}, undefined],
    [
      'whose taint the hub has written',
      [`${TAINTS.unreachable}:NoSelectIfNew ${MS}`],
      { hubAcceptsClient: true, taints: [{ key: TAINTS.unreachable, effect: 'NoSelectIfNew', timeAdded: AT }] },
      joined('False'),
    ],
  ])('%s', (_what, expected, spec, status) => {
    const taints = readHubTaints(spec, status);

    expect(taints.map(({ key, effect, since }) => `${key}:${effect} ${since}`)).toEqual(expected);
  });
});
