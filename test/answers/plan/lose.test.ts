import { describe, expect, it } from '@jest/globals';
import { ChangeTextError } from '../../../src/answers/plan/changes.js';
import { lossKey, lostBy, valuesOf } from '../../../src/answers/plan/lose.js';
import { lossReport } from '../../../src/answers/plan/report.js';
import { planLines } from '../../../src/answers/plan/text.js';
import { NotFoundError } from '../../../src/answers/output.js';
import type { World } from '../../../src/answers/world/world.js';
import { exampleWorld, EXAMPLE_SPEC } from '../../support/builders/examplefleet.js';
import { readingOf } from '../../support/builders/hubinput.js';
import { rawCluster } from '../../support/builders/world.js';

const MUST = '--lose must be claim/KEY=VALUE, label/KEY=VALUE, mclset/NAME or mcl/NAME, got';
const unread = exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [
  { resource: 'managedclusters', verb: 'list', status: 403 },
]);

function linesOf(world: World): readonly string[] {
  const { document } = lossReport(readingOf(world), lostBy(world, ['mclset/edge']), {});
  return planLines(document, readingOf(world), { colored: false, wide: false });
}

const ALL = exampleWorld().objects.managedclusters.map(({ metadata }) => metadata.name);

describe('what --lose says of Placements', () => {
  it.each(['placements', 'placementdecisions', 'managedclustersetbindings'] as const)(
    'that could not be read, since %s are withheld, is that it is not known, and not that none is short',
    (resource) => {
      const world = exampleWorld(EXAMPLE_SPEC, { [resource]: [] }, [{ resource, verb: 'list', status: 403 }]);
      const lines = linesOf(world);

      expect(lines[0]).toBe(`not readable: ${resource} (list: 403): the effect on the Placements is not known`);
      expect(lines.filter((line) => line.startsWith('Without '))).toEqual([]);
    },
  );

  it.each<readonly [string, object, string, string]>([
    [
      'tolerates it for ever',
      { tolerations: [{ operator: 'Exists' }] },
      'shop/web  3 -> 0 usable of 3 wanted, Satisfied by its condition alone',
      '0 held, 3 lost and still named',
    ],
    [
      'can replace none',
      {},
      'shop/web  3 -> 0 usable of 3 wanted, Satisfied -> PartiallySatisfied',
      '0 held, 3 lost and still named',
    ],
  ])('counts the clusters that are usable, where a Placement %s', (_, spec, head, held) => {
    const world = exampleWorld({ ...EXAMPLE_SPEC, ...spec });
    const { document } = lossReport(readingOf(world), new Map(ALL.map((name) => [name, 'lost'])), {});
    const text = planLines(document, readingOf(world), { colored: false, wide: false }).join('\n');

    expect(text).toContain(head);
    expect(text).toContain(held);
    expect(document.placements[0]?.loss).toEqual({ effect: 'Empty', usable: 0 });
  });

  it('is one line of what happens without the clusters, where all could be read', () => {
    const lines = linesOf(exampleWorld());

    expect(lines.filter((line) => line.startsWith('Without '))).toHaveLength(1);
  });
});

describe('what --lose takes away', () => {
  it('each cluster once, for the first reason', () => {
    const lost = lostBy(exampleWorld(), ['mcl/edge-eu-2', 'mclset/edge', 'label/tier=silver', 'claim/platform=Azure']);

    expect([...lost]).toEqual([
      ['edge-eu-2', 'lost'],
      ['edge-ap-1', 'lost with ManagedClusterSet edge'],
      ['edge-eu-1', 'lost with ManagedClusterSet edge'],
      ['edge-us-1', 'lost with ManagedClusterSet edge'],
      ['prod-ap-2', 'lost with label tier=silver'],
      ['prod-eu-2', 'lost with label tier=silver'],
    ]);
  });

  it('a fact of the status is a claim', () => {
    expect([...lostBy(exampleWorld(), ['claim/cluster-name=edge-eu-2']).keys()]).toEqual(['edge-eu-2']);
  });

  it('a key may have slashes, a value any characters', () => {
    const claims = { 'example.com/a/b': 'x=y z' };
    const world = exampleWorld(EXAMPLE_SPEC, { managedclusters: [rawCluster('a', { claims })] });

    expect([...lostBy(world, ['claim/example.com/a/b=x=y z'])]).toEqual([
      ['a', 'lost with claim example.com/a/b="x=y z"'],
    ]);
    expect(lossKey('claim/example.com/a/b')).toEqual({ source: 'claim', key: 'example.com/a/b' });
  });

  it.each([
    ['production', `${MUST} "production"`],
    ['claim/platform', `${MUST} "claim/platform"`],
    ['label/=gold', `${MUST} "label/=gold"`],
    ['placement/web', `${MUST} "placement/web"`],
    ['mcl/', `${MUST} "mcl/"`],
  ])('--lose %s cannot be read', (text, message) => {
    expect(() => lostBy(exampleWorld(), [text])).toThrow(new ChangeTextError(message));
  });

  it.each(['region', 'mcl/a', 'claim', 'claim/'])('--lose-each %s cannot be read', (text) => {
    expect(() => lossKey(text)).toThrow(
      new ChangeTextError(`--lose-each must be claim/KEY or label/KEY, got ${JSON.stringify(text)}`),
    );
  });

  it.each([
    ['mcl/berlin', 'ManagedCluster berlin was not found'],
    ['mcl/prd-us-1', 'ManagedCluster prd-us-1 was not found; did you mean prod-us-1?'],
    ['mclset/prodction', 'ManagedClusterSet prodction was not found; did you mean production?'],
    ['label/teir=gold', 'no ManagedCluster has label teir; did you mean tier?'],
    ['label/platform=aws', 'no ManagedCluster has label platform; did you mean claim/platform?'],
    ['claim/tier=gold', 'no ManagedCluster has claim tier; did you mean label/tier?'],
    ['label/tier=glod', 'no ManagedCluster has label tier=glod; did you mean gold?'],
    [
      'claim/platform=google cloud',
      'no ManagedCluster has claim platform="google cloud"; did you mean "Google Cloud"?',
    ],
    ['claim/zone=a', 'no ManagedCluster has claim zone'],
  ])('--lose %s is refused with the name of what does not exist', (text, message) => {
    expect(() => lostBy(exampleWorld(), [text])).toThrow(new NotFoundError(message));
  });

  it('what may not be read may exist', () => {
    expect([...lostBy(unread, ['claim/zone=a', 'mcl/nope'])]).toEqual([['nope', 'lost']]);
    expect(valuesOf(unread, { source: 'label', key: 'zone' }).size).toBe(0);
  });
});
