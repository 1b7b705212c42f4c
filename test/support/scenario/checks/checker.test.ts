import { describe, expect, it } from '@jest/globals';

import { check } from './checker.js';
import type { Frame, Observed, Outlook, SeenPlacement } from './history.js';

const KEY = 'team/web';

function placement(at: number, change: Partial<SeenPlacement> = {}, type: Observed['type'] = 'MODIFIED'): Observed {
  const seen: SeenPlacement = {
    kind: 'Placement',
    uid: 'u1',
    generation: 1,
    observedGeneration: -1,
    published: false,
    selected: 0,
    decisions: [],
    ...change,
  };
  return { at, type, key: KEY, seen };
}

interface Slice {
  readonly n?: number;
  readonly owner?: string;
  readonly type?: Observed['type'];
  readonly revision?: string;
  readonly gap?: boolean;
}

function slice(at: number, clusters: readonly string[] | undefined, options: Slice = {}): Observed {
  const { n = 1, owner = 'u1', type = 'ADDED', revision = `r${at}`, gap = false } = options;
  const seen = { kind: 'PlacementDecision', owner, revision, ...(clusters === undefined ? {} : { clusters }) } as const;
  return { at, type, key: `${KEY}-decision-${n}`, seen, ...(gap ? { gap } : {}) };
}

function cluster(at: number, key: string, type: Observed['type'] = 'ADDED', deleting = false): Observed {
  return { at, type, key, seen: { kind: 'ManagedCluster', deleting } };
}

const ALL = ['a', 'b', 'c', 'd', 'e'];
const FLEET = ALL.map((name, n) => cluster(n + 1, name));

function frame(step: number, from: number, outlook: Partial<Outlook> = {}): Frame {
  return { step, from, outlook: new Map([[KEY, { always: new Set(ALL), ever: new Set(ALL), ...outlook }]]) };
}

const ONE = [frame(1, 0)];
const TWO = [frame(1, 0), frame(2, 50)];
const BOTH = [
  placement(10, { count: 2 }, 'ADDED'),
  slice(11, ['a', 'b']),
  placement(12, {
    count: 2,
    observedGeneration: 1,
    published: true,
    selected: 2,
    decisions: [{ name: 'web-decision-1', revision: 'r11' }],
  }),
];
const MANY = Array.from({ length: 101 }, (_, n) => `m${n}`);

describe('the checker finds', () => {
  it.each<[string, string, readonly Observed[], readonly Frame[]]>([
    ['more clusters than are wanted', 'too many', [placement(10, { count: 1 }, 'ADDED'), slice(11, ['a', 'b'])], ONE],
    [
      'more clusters than are wanted, over two objects',
      'too many',
      [placement(10, { count: 2 }, 'ADDED'), slice(11, ['a', 'b']), slice(12, ['c'], { n: 2 })],
      ONE,
    ],
    [
      'more than the smaller number once it is published',
      'too many',
      [
        ...BOTH,
        placement(60, {
          generation: 2,
          observedGeneration: 2,
          published: true,
          count: 1,
          selected: 2,
          decisions: [{ name: 'web-decision-1', revision: 'r11' }],
        }),
      ],
      TWO,
    ],
    [
      'an addition before the removal that makes room',
      'too many',
      [...BOTH, slice(60, ['a', 'b', 'c'], { type: 'MODIFIED' }), slice(61, ['b', 'c'], { type: 'MODIFIED' })],
      TWO,
    ],
    [
      'a cluster in two objects',
      'doubled',
      [placement(10, {}, 'ADDED'), slice(11, ['a']), slice(12, ['b', 'a'], { n: 2 })],
      ONE,
    ],
    ['a cluster twice in one object', 'doubled', [placement(10, {}, 'ADDED'), slice(11, ['a', 'a'])], ONE],
    [
      'a cluster that stays and is missing for a moment',
      'vanished',
      [...BOTH, slice(60, ['b'], { type: 'MODIFIED' }), slice(61, ['b', 'a'], { type: 'MODIFIED' })],
      TWO,
    ],
    [
      'a cluster that is moved by taking it away first',
      'vanished',
      [...BOTH, slice(60, ['a'], { type: 'MODIFIED' }), slice(61, ['b'], { n: 2 })],
      TWO,
    ],
    [
      'an object that goes and comes back',
      'vanished',
      [...BOTH, slice(60, ['a', 'b'], { type: 'DELETED' }), slice(61, ['a', 'b'])],
      TWO,
    ],
    [
      'an object made empty and filled later',
      'created empty',
      [placement(10, {}, 'ADDED'), slice(11, []), slice(12, ['a'], { type: 'MODIFIED' })],
      ONE,
    ],
    [
      'a second object made empty',
      'created empty',
      [placement(10, {}, 'ADDED'), slice(11, ['a']), slice(12, [], { n: 2 })],
      ONE,
    ],
    ['an object without a list', 'created empty', [placement(10, {}, 'ADDED'), slice(11, undefined)], ONE],
    [
      'more than 100 clusters in one object',
      'oversized',
      [placement(10, {}, 'ADDED'), slice(11, MANY)],
      [{ step: 1, from: 0, outlook: new Map() }],
    ],
    [
      'a status that names an object that is not stored',
      'ahead',
      [
        placement(10, {}, 'ADDED'),
        slice(11, ['a']),
        placement(12, {
          selected: 1,
          decisions: [
            { name: 'web-decision-1', revision: 'r11' },
            { name: 'web-decision-2', revision: 'x' },
          ],
        }),
      ],
      ONE,
    ],
    [
      'a status that names a revision that comes later',
      'ahead',
      [
        placement(10, {}, 'ADDED'),
        slice(11, ['a']),
        placement(12, { selected: 1, decisions: [{ name: 'web-decision-1', revision: 'r13' }] }),
        slice(13, ['b'], { type: 'MODIFIED' }),
      ],
      ONE,
    ],
    [
      'a status that counts what is not stored',
      'ahead',
      [
        placement(10, {}, 'ADDED'),
        slice(11, ['a']),
        placement(12, { selected: 2, decisions: [{ name: 'web-decision-1', revision: 'r11' }] }),
      ],
      ONE,
    ],
    [
      'a cluster that never matched',
      'unexplained',
      [placement(10, {}, 'ADDED'), slice(11, ['a', 'b'])],
      [frame(1, 0, { ever: new Set(['a']) })],
    ],
    [
      'a cluster that was never there',
      'unexplained',
      [placement(10, {}, 'ADDED'), slice(11, ['ghost'])],
      [frame(1, 0, { ever: new Set(['ghost']) })],
    ],
    [
      'a cluster that went a step earlier',
      'unexplained',
      [cluster(20, 'c', 'DELETED'), placement(60, {}, 'ADDED'), slice(61, ['c'])],
      TWO,
    ],
    [
      'a cluster whose deletion began a step earlier',
      'unexplained',
      [cluster(20, 'c', 'MODIFIED', true), placement(60, {}, 'ADDED'), slice(61, ['c'])],
      TWO,
    ],
  ])('the checker finds %s', (_what, rule, events, frames) => {
    const found = check([...FLEET, ...events], frames);
    expect(found.map((one) => one.rule)).toContain(rule);
    expect(found[0]).toMatchObject({ placement: KEY, step: frames.at(-1)?.step });
  });
});

describe('the checker lets pass', () => {
  it.each<[string, readonly Observed[], readonly Frame[]]>([
    ['a first decision with its status', BOTH, ONE],
    [
      'an empty decision where nothing matches',
      [placement(10, {}, 'ADDED'), slice(11, [])],
      [frame(1, 0, { always: new Set() })],
    ],
    [
      'the larger number while a smaller one is not published yet',
      [
        ...BOTH,
        placement(60, {
          generation: 2,
          observedGeneration: 1,
          published: true,
          count: 1,
          selected: 2,
          decisions: [{ name: 'web-decision-1', revision: 'r11' }],
        }),
        slice(61, ['b'], { type: 'MODIFIED' }),
      ],
      TWO,
    ],
    [
      'a replacement in one write',
      [...BOTH, slice(60, ['b', 'c'], { type: 'MODIFIED' })],
      [frame(1, 0), frame(2, 50, { always: new Set(['b', 'c']) })],
    ],
    [
      'a removal before the addition in another object',
      [...BOTH, slice(60, ['b'], { type: 'MODIFIED' }), slice(61, ['c'], { n: 2 })],
      TWO,
    ],
    [
      'a cluster that leaves and comes back because it did not match in between',
      [...BOTH, slice(60, ['b'], { type: 'MODIFIED' }), slice(61, ['b', 'a'], { type: 'MODIFIED' })],
      [frame(1, 0), frame(2, 50, { always: new Set(['b']) })],
    ],
    [
      'an old status beside newer objects',
      [
        ...BOTH,
        slice(60, ['a', 'c'], { type: 'MODIFIED' }),
        placement(61, {
          generation: 2,
          observedGeneration: 1,
          published: true,
          selected: 2,
          decisions: [{ name: 'web-decision-1', revision: 'r11' }],
        }),
      ],
      TWO,
    ],
    [
      'a status that does not know yet of an object whose making was not answered',
      [
        placement(10, {}, 'ADDED'),
        slice(11, ['a']),
        slice(12, ['b'], { n: 2 }),
        placement(13, { selected: 1, decisions: [{ name: 'web-decision-1', revision: 'r11' }] }),
      ],
      ONE,
    ],
    [
      'objects of a placement that is gone',
      [
        ...BOTH,
        placement(60, {}, 'DELETED'),
        placement(61, { uid: 'u2' }, 'ADDED'),
        slice(62, ['a', 'b'], { type: 'DELETED' }),
        slice(63, ['c'], { owner: 'u2' }),
      ],
      TWO,
    ],
    [
      'a list after a lost watch, however it is ordered',
      [...BOTH, slice(60, ['a', 'b', 'c'], { type: 'MODIFIED', gap: true })],
      TWO,
    ],
  ])('the checker accepts %s', (_what, events, frames) => {
    expect(check([...FLEET, ...events], frames)).toEqual([]);
  });

  it('the checker accepts events in whatever order the watches delivered them', () => {
    expect(check([...BOTH, ...FLEET].reverse(), ONE)).toEqual([]);
  });
});
