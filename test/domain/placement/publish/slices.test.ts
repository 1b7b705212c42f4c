import { describe, expect, it } from '@jest/globals';
import type { StoredDecision } from '../../../../src/domain/placement/stored/decision.js';
import { revisionOf } from '../../../../src/domain/placement/stored/decision.js';
import { sliceChanges, publishedAfter, slotsAfter } from '../../../../src/domain/placement/publish/slices.js';
import type { DecisionWrite, SliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { decision, member, members, names, snapshot } from '../../../support/builders/placement.js';
import type { World } from '../../../support/builders/placement.js';
import { scheduled } from '../../../support/builders/scheduled.js';

function changesFor(over: Partial<World>): SliceChanges {
  const seen = snapshot(over);
  return sliceChanges(seen, scheduled(seen));
}

/** A write in few words: `update 1: a b`. */
function short(write: DecisionWrite): string {
  const name = write.ordinal ?? write.name;
  if (write.kind === 'delete') return `delete ${name}: ${write.cause}`;
  return `${write.kind} ${name}:${write.clusters.map((one) => ` ${one}`).join('')}`;
}

function writes(over: Partial<World>): readonly string[] {
  return changesFor(over).writes.map(short);
}

const N = (numberOfClusters: number): object => ({ numberOfClusters });
const full = decision(1, names(100));

describe('sliceChanges', () => {
  it.each([
    { rule: 'creates the first object empty when nothing is selected', world: {}, does: ['create 1:'] },
    { rule: 'creates an object complete', world: { fleet: members('a') }, does: ['create 1: a'] },
    {
      rule: 'writes nothing when all is stored',
      world: { fleet: members('a', 'b'), stored: [decision(1, ['b', 'a'])] },
      does: [],
    },
    { rule: 'writes nothing when the first object is to be empty', world: { stored: [decision(1, [])] }, does: [] },
    {
      rule: 'replaces a cluster in one write',
      world: { spec: N(2), fleet: members('b', 'c'), stored: [decision(1, ['a', 'b'])] },
      does: ['update 1: b c'],
    },
    { rule: 'empties the first object, and keeps it', world: { stored: [decision(1, ['a'])] }, does: ['update 1:'] },
    {
      rule: 'deletes another one that is empty, once the first keeps what it has recorded',
      world: { fleet: [...members(...names(100)), member('x', {}, [])], stored: [full, decision(2, ['x'])] },
      does: [`update 1: ${names(100).join(' ')}`, 'delete 2: Empty'],
    },
    {
      rule: 'deletes another one that was stored empty',
      world: { fleet: members('a'), stored: [decision(1, ['a']), decision(4, [])] },
      does: ['delete 4: Empty'],
    },
    {
      rule: 'does not compact',
      world: { fleet: members('a', 'b'), stored: [decision(1, ['a']), decision(3, ['b'])] },
      does: [],
    },
    {
      rule: 'removes before it adds',
      world: {
        spec: N(101),
        fleet: members(...names(99), 'new', 'y'),
        stored: [decision(1, names(99)), decision(2, ['x', 'y'])],
      },
      does: ['update 2: y', `update 1: ${names(99).join(' ')} new`],
    },
    {
      rule: 'fills the free slots of the lowest object first',
      world: { fleet: members('a', 'b', 'c'), stored: [decision(1, ['a']), decision(2, ['b'])] },
      does: ['update 1: a c'],
    },
    {
      rule: 'fills an object after a gap before it creates a new one',
      world: { fleet: members(...names(100), 'x', 'y'), stored: [full, decision(3, ['x'])] },
      does: ['update 3: x y'],
    },
    {
      rule: 'creates no new object before existing ones are full and written',
      world: { fleet: members(...names(100), 'x', ...names(100, 200)), stored: [full, decision(3, ['x'])] },
      does: [expect.stringMatching(/^update 3: x( c2\d\d){99}$/), expect.stringMatching(/^create 2: c2\d\d$/)],
    },
    {
      rule: 'creates a new object in the first gap',
      world: { fleet: members(...names(200), 'y'), stored: [full, decision(3, names(100, 100))] },
      does: ['create 2: y'],
    },
    {
      rule: 'creates a missing first object',
      world: { fleet: members('a', 'b'), stored: [decision(2, ['b'])] },
      does: ['create 1: a'],
    },
    {
      rule: 'creates a deleted object again with the same clusters',
      world: { spec: N(2), fleet: members('a', 'b', 'c'), stored: [decision(2, ['b'])], remembered: [['a'], ['b']] },
      does: ['create 1: a'],
    },
    {
      rule: 'creates a deleted object again, with new clusters, before it creates one in a gap',
      world: {
        spec: N(102),
        fleet: members(...names(100), 'x', 'y'),
        stored: [full],
        remembered: [names(100), [], ['x']],
      },
      does: ['create 3: x y'],
    },
    {
      rule: 'reverts a foreign edit',
      world: { spec: N(2), fleet: members('a', 'b', 'c'), stored: [decision(1, ['c', 'a'])], remembered: [['a', 'b']] },
      does: ['update 1: a b'],
    },
    {
      rule: 'restores the order that another client changed',
      world: { fleet: members('a', 'b'), stored: [decision(1, ['b', 'a'])], remembered: [['a', 'b']] },
      does: ['update 1: a b'],
    },
    {
      rule: 'restores a lost label or owner',
      world: { fleet: members('a'), stored: [decision(1, ['a'], { intact: false })] },
      does: ['update 1: a'],
    },
    {
      rule: 'restores a changed revision',
      world: { fleet: members('a'), stored: [decision(1, ['a'], { revision: 'x' })] },
      does: ['update 1: a'],
    },
    {
      rule: 'restores a lost revision',
      world: { fleet: members('a'), stored: [decision(1, ['a'], { revision: undefined })] },
      does: ['update 1: a'],
    },
  ] as { rule: string; world: Partial<World>; does: string[] }[])('sliceChanges $rule', ({ world, does }) => {
    expect(writes(world)).toEqual(does);
  });

  it('sliceChanges divides a large selection into objects of a hundred in the order of rank', () => {
    const made = changesFor({ fleet: members(...names(250)) });
    const { added } = scheduled(snapshot({ fleet: members(...names(250)) }));

    expect(made.writes.map((one) => [one.kind, one.name, one.clusters.length])).toEqual([
      ['create', 'web-decision-1', 100],
      ['create', 'web-decision-2', 100],
      ['create', 'web-decision-3', 50],
    ]);
    expect(made.slots.flat()).toEqual(added);
  });

  it('the writes of sliceChanges have uid, resourceVersion and revision', () => {
    const stored = [
      decision(1, ['a', 'x'], { uid: 'u', resourceVersion: '41' }),
      decision(2, ['y'], { uid: 'v', resourceVersion: '42' }),
    ];
    const others = ['x', 'y'].map((name) => member(name, {}, []));
    const made = changesFor({ fleet: [...members('a'), ...others], stored }).writes;

    expect(made).toEqual([
      {
        kind: 'update',
        name: 'web-decision-1',
        ordinal: 1,
        clusters: ['a'],
        revision: revisionOf(['a']),
        uid: 'u',
        resourceVersion: '41',
      },
      {
        kind: 'delete',
        name: 'web-decision-2',
        ordinal: 2,
        clusters: [],
        revision: revisionOf([]),
        uid: 'v',
        resourceVersion: '42',
        cause: 'Empty',
      },
    ]);
  });
});

describe('sliceChanges with foreign objects', () => {
  const foreign = (ordinal: number, over: Partial<StoredDecision> = {}): StoredDecision =>
    decision(ordinal, ['z'], { ownership: 'foreign', intact: false, ...over });

  it('an object of another owner is not changed, and the clusters for it are not published', () => {
    const made = changesFor({ fleet: members(...names(250)), stored: [foreign(2)] });

    expect(made.writes.map((one) => one.name)).toEqual(['web-decision-1', 'web-decision-3']);
    expect(made.blocked).toEqual([{ ordinal: 2, name: 'web-decision-2', why: 'Foreign' }]);
    expect(publishedAfter(made).flatMap((one) => one.clusters)).toHaveLength(150);
  });

  it('an object of another owner blocks nothing when no cluster is for it', () => {
    const made = changesFor({ fleet: members('a'), stored: [foreign(2), foreign(7)] });

    expect(made.writes.map(short)).toEqual(['create 1: a']);
    expect(made.blocked).toEqual([]);
  });

  it('an object of another owner blocks no cluster that fits into a lower object', () => {
    const made = changesFor({ fleet: members(...names(150)), stored: [foreign(7)] });

    expect(made.writes.map((one) => one.name)).toEqual(['web-decision-1', 'web-decision-2']);
    expect(made.blocked).toEqual([]);
  });

  it('an object of another owner with the name of the first one blocks even an empty decision', () => {
    expect(changesFor({ stored: [foreign(1)] })).toMatchObject({
      writes: [],
      blocked: [{ name: 'web-decision-1', why: 'Foreign' }],
    });
  });

  it('the clusters for an object of another owner stay assigned to it in the next pass', () => {
    const world = { fleet: members(...names(250)), stored: [foreign(2)] };
    const first = changesFor(world);
    const stored = [foreign(2), ...publishedAfter(first).map((one) => decision(one.ordinal, one.clusters))];

    expect(writes({ ...world, stored })).toEqual([]);
    expect(writes({ ...world, stored, remembered: slotsAfter(first) })).toEqual([]);
  });

  it('an object of another owner with another name is ignored', () => {
    const strange = decision(1, ['z'], { name: 'other', ordinal: undefined, ownership: 'foreign' });
    const orphan = decision(1, ['y'], { name: 'web-copy', ordinal: undefined, ownership: 'adoptable' });

    expect(writes({ fleet: members('a'), stored: [strange, orphan] })).toEqual(['create 1: a']);
  });
});

describe('sliceChanges with objects left behind', () => {
  it('an object that was left behind without an owner is adopted with its clusters', () => {
    const stored = [decision(1, ['b'], { ownership: 'adoptable', intact: false })];

    expect(writes({ spec: N(1), fleet: members('a', 'b', 'c'), stored })).toEqual(['update 1: b']);
  });

  it('an object that was left behind without an owner is deleted when it is not needed', () => {
    const stored = [decision(1, ['a']), decision(2, ['x'], { ownership: 'adoptable', intact: false })];

    const status = { observedGeneration: 1, numberOfSelectedClusters: 2 };

    expect(writes({ fleet: members('a'), stored, status })).toEqual(['update 1: a', 'delete 2: Empty']);
  });

  it('an object that was left behind by an earlier Placement of the name is deleted first and created again', () => {
    const stored = [1, 2].map((ordinal) => decision(ordinal, ['z'], { ownership: 'predecessor', intact: false }));
    const made = changesFor({ fleet: members('a'), stored });

    expect(made.writes.map(short)).toEqual(['delete 1: Predecessor', 'delete 2: Predecessor', 'create 1: a']);
    expect(publishedAfter(made, 2)).toEqual([]);
  });

  it('an object that was left behind by an earlier Placement blocks its name while a finalizer delays its deletion', () => {
    const stored = [decision(1, ['z'], { ownership: 'predecessor', intact: false, deleting: true })];

    expect(changesFor({ fleet: members('a'), stored })).toMatchObject({
      writes: [],
      blocked: [{ ordinal: 1, why: 'Terminating' }],
    });
  });

  it('an own object with an unused name is deleted', () => {
    const stored = [decision(1, ['a']), decision(1, ['z'], { name: 'web-copy', ordinal: undefined })];

    expect(writes({ fleet: members('a'), stored })).toEqual(['update 1: a', 'delete web-copy: Misnamed']);
  });

  it('an own object that is not needed is deleted once, and emptied while a finalizer delays its deletion', () => {
    const held = (clusters: readonly string[]): StoredDecision => decision(2, clusters, { deleting: true });
    const world = { fleet: members('a') };

    expect(writes({ ...world, stored: [decision(1, ['a']), held(['x'])] })).toEqual(['update 2:']);
    expect(writes({ ...world, stored: [decision(1, ['a']), held([])] })).toEqual([]);
  });
});

describe('sliceChanges after a foreign edit', () => {
  it('clusters that another client moved between objects are removed from one before they are added to the other', () => {
    const stored = [decision(1, ['b']), decision(2, ['a'])];

    expect(writes({ fleet: members('a', 'b'), stored, remembered: [['a'], ['b']] })).toEqual([
      'update 2:',
      'update 1: a',
      'update 2: b',
    ]);
  });

  it('while a cluster that another client moved is moved back, the other clusters stay in their object', () => {
    const stored = [decision(1, ['b']), decision(2, ['a', 'c'])];

    expect(writes({ fleet: members('a', 'b', 'c'), stored, remembered: [['a'], ['c', 'b']] })).toEqual([
      'update 2: c',
      'update 1: a',
      'update 2: c b',
    ]);
  });

  it('clusters that another client moved between objects need no further write where their object was written before', () => {
    const stored = [decision(1, ['b']), decision(2, ['a', 'y', 'z'])];

    expect(writes({ fleet: members('a', 'b', 'n'), stored, remembered: [['b', 'a'], ['n']] })).toEqual([
      'update 2: n',
      'update 1: b a',
    ]);
  });

  it('clusters that another client moved between objects need one write where several of them leave one object', () => {
    const stored = [decision(1, ['c', 'd']), decision(2, ['a', 'b'])];

    expect(
      writes({
        fleet: members('a', 'b', 'c', 'd'),
        stored,
        remembered: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      }),
    ).toEqual(['update 2:', 'update 1: a b', 'update 2: c d']);
  });

  it('clusters that another client listed twice are removed from the second place before anything is added', () => {
    const stored = [decision(1, ['a', 'x']), decision(2, ['a', 'b'])];

    expect(
      writes({
        fleet: members('a', 'b', 'c', 'd'),
        stored,
        remembered: [
          ['a', 'c'],
          ['b', 'd'],
        ],
      }),
    ).toEqual(['update 2: b', 'update 1: a c', 'update 2: b d']);
  });

  it('clusters that another client moved between objects need no write of their own where the other object only loses them', () => {
    const stored = [decision(1, ['a']), decision(2, ['b', 'x', 'c'])];

    expect(
      writes({
        fleet: members('a', 'b', 'c', 'x'),
        stored,
        remembered: [
          ['a', 'x'],
          ['b', 'c'],
        ],
      }),
    ).toEqual(['update 2: b c', 'update 1: a x']);
  });

  it('an object that is to be deleted is deleted when a cluster in it is moved back', () => {
    const stored = [decision(1, ['y']), decision(2, ['x'])];

    expect(writes({ spec: N(1), fleet: members('x'), stored, remembered: [['x']] })).toEqual([
      'update 1: y',
      'delete 2: Empty',
      'update 1: x',
    ]);
  });
});

describe('slotsAfter', () => {
  const world = {
    spec: N(101),
    fleet: members(...names(99), 'new', 'y'),
    stored: [decision(1, names(99)), decision(2, ['x', 'y'])],
  };

  it.each([
    { done: 0, slots: [names(99), ['x', 'y']] },
    { done: 1, slots: [names(99), ['y']] },
    { done: 2, slots: [[...names(99), 'new'], ['y']] },
  ])(
    'the remembered list after $done writes has written objects as written, and others as before',
    ({ done, slots }) => {
      expect(slotsAfter(changesFor(world), done)).toEqual(slots);
    },
  );

  it('the remembered list of a blocked object has what was published there and is still selected', () => {
    const made = changesFor({
      fleet: members('a', 'c'),
      stored: [decision(1, ['z'], { ownership: 'foreign' })],
      remembered: [['a', 'b']],
    });

    expect(made.slots).toEqual([['a', 'c']]);
    expect(slotsAfter(made)).toEqual([['a']]);
  });

  it('the remembered list has each step of an object that is written twice', () => {
    const made = changesFor({
      fleet: members('a', 'b'),
      stored: [decision(1, ['b']), decision(2, ['a'])],
      remembered: [['a'], ['b']],
    });

    expect([0, 1, 2, 3].map((done) => slotsAfter(made, done))).toEqual([
      [['a'], ['b']],
      [['a'], []],
      [['a'], []],
      [['a'], ['b']],
    ]);
  });

  it('the remembered list of a deleted object is empty', () => {
    expect(slotsAfter(changesFor({ fleet: members('a'), stored: [decision(1, ['a']), decision(2, ['x'])] }))).toEqual([
      ['a'],
      [],
    ]);
  });
});

describe('deleting the objects of a predecessor', () => {
  it.each<[string, Partial<StoredDecision>, boolean]>([
    ['is chosen for an object with a name of a decision', { ownership: 'predecessor' }, true],
    ['is not chosen for an object with another name', { ownership: 'predecessor', ordinal: undefined }, false],
    ['is not chosen for one that is being deleted', { ownership: 'predecessor', deleting: true }, false],
    ['is not chosen for an own object', { ownership: 'ours' }, false],
  ])('the replacement of an object of a deleted Placement %s', (_sentence, over, replaces) => {
    const { writes } = changesFor({ fleet: members('a'), stored: [decision(1, ['a'], over)] });

    const causes = writes.map((write) => write.kind === 'delete' && write.cause);
    expect(causes.includes('Predecessor')).toBe(replaces);
  });
});
