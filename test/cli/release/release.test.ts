import { describe, expect, it } from '@jest/globals';
import { ALLOW_REMOVALS_ANNOTATION } from '../../../src/api/names.js';
import { RefusedError } from '../../../src/answers/output.js';
import { releaseClusters, type ReleaseRequest } from '../../../src/cli/commands/release.js';
import { explainInputOf } from '../../../src/answers/world/world.js';
import { isReleased, readRelease } from '../../../src/domain/placement/spec/budget.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { NOW } from '../../support/builders/hubinput.js';
import { rawPlacement } from '../../support/builders/world.js';
import { heldWorld, ReleaseClient } from '../../support/fakes/releaseclient.js';
import { scheduled } from '../../support/builders/scheduled.js';

const UNTIL = NOW + 600_000;
const REQUEST: ReleaseRequest = { namespace: 'shop', placement: 'web', clusters: undefined, now: NOW, until: UNTIL };

/** The Placement once its first decision was stored. */
function decidedPlacement(spec: object): ReturnType<typeof rawPlacement> {
  return {
    ...rawPlacement(spec),
    status: { phase: 'Satisfied', observedGeneration: 1, basis: { numberOfClusters: 3 } },
  };
}

function written({ patches }: ReleaseClient): string {
  return patches[0]?.[1].annotations?.[ALLOW_REMOVALS_ANNOTATION] ?? '';
}

/** A world that holds clusters, with these fields of the spec. */
function heldWith(fields: object): ReturnType<typeof heldWorld> {
  const world = heldWorld();
  const placements = world.objects.placements.map((one) => ({
    ...one,
    spec: { ...Object(one.spec), ...fields },
    status: { ...Object(one.status), observedGeneration: one.metadata.generation },
  }));
  return { ...world, objects: { ...world.objects, placements } };
}

describe('release', () => {
  it('with --additions the clusters that are kept out may come in, and none may leave', async () => {
    const spec = { ...EXAMPLE_SPEC, numberOfClusters: undefined, disruptionBudget: { maxAdditions: 0 } };
    const client = new ReleaseClient(exampleWorld(spec, { placements: [decidedPlacement(spec)] }));
    const input = explainInputOf(exampleWorld(spec, { placements: [decidedPlacement(spec)] }), 'shop', 'web');
    const heldBack = input === undefined ? [] : scheduled(input.snapshot).heldAdditions;
    expect(heldBack.length).toBeGreaterThan(0);

    expect(await releaseClusters(client, { ...REQUEST, additions: true })).toBe(
      `shop/web: ${[...heldBack].sort().join(', ')} may come in until 2026-11-22T12:10:00Z`,
    );
    expect(client.patches[0]?.[1].annotations).toEqual({
      'cluster.fleetmgmt.io/allow-additions': `2026-11-22T12:10:00Z/${[...heldBack].sort().join(',')}`,
    });
    expect(await releaseClusters(client, REQUEST)).toBe('shop/web holds no cluster: nothing to release');
  });

  it('the held clusters are released, of the Placement as it was read', async () => {
    const client = new ReleaseClient(heldWorld());

    expect(await releaseClusters(client, REQUEST)).toBe(
      'shop/web: prod-eu-2, prod-us-1 may leave until 2026-11-22T12:10:00Z',
    );
    expect(client.patches).toEqual([
      [
        { namespace: 'shop', name: 'web' },
        {
          uid: heldWorld().objects.placements[0]?.metadata.uid,
          resourceVersion: '7',
          annotations: { [ALLOW_REMOVALS_ANNOTATION]: '2026-11-22T12:10:00Z/prod-eu-2,prod-us-1' },
        },
      ],
    ]);
  });

  it('a dry run says what would be released, and writes nothing', async () => {
    const client = new ReleaseClient(heldWorld());

    expect(await releaseClusters(client, { ...REQUEST, dryRun: true })).toBe(
      'shop/web: prod-eu-2, prod-us-1 may leave until 2026-11-22T12:10:00Z (dry run)',
    );
    expect(client.patches).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'a change window is closed',
      { changeWindows: [{ start: 'Sun 12:05', duration: '1h', timeZone: 'UTC' }] },
      'they leave when the next one opens, at 2026-11-22T12:05:00Z (Sun 12:05 UTC)',
    ],
    ['it is paused', { paused: true }, 'they stay while spec.paused is true'],
  ])('says when the clusters leave where %s', async (_what, fields, text) => {
    const client = new ReleaseClient(heldWith(fields));

    expect(await releaseClusters(client, REQUEST)).toContain(text);
    expect(written(client)).toContain('prod-eu-2');
  });

  it.each([
    ['Sun 22:00', '2026-11-22T22:00:00Z (Sun 22:00 UTC)', 'release them then, or with a longer --for (24h at most)'],
    ['Mon 22:00', '2026-11-23T22:00:00Z (Mon 22:00 UTC)', 'release them then'],
  ])(
    'a release that ends before the window of %s opens is refused, and nothing is written',
    async (start, opens, advice) => {
      const client = new ReleaseClient(heldWith({ changeWindows: [{ start, duration: '1h', timeZone: 'UTC' }] }));

      await expect(releaseClusters(client, REQUEST)).rejects.toThrow(
        new RefusedError(
          `shop/web: nothing is released, since the release ends before the next change window opens, at ${opens}: they stay; ${advice}`,
        ),
      );
      expect(written(client)).toBe('');
    },
  );

  it('says when clusters leave that a lost definition holds', async () => {
    const world = heldWorld();
    const conditions = [{ type: 'RemovalsHeld', status: 'True', reason: 'DefinitionsReplaced' }];
    const placements = world.objects.placements.map((one) => ({ ...one, status: { conditions } }));
    const client = new ReleaseClient({ ...world, objects: { ...world.objects, placements } });

    expect(await releaseClusters(client, REQUEST)).toMatch(
      / may leave until 2026-11-22T12:10:00Z; they leave at the earliest 30 s after the definition was created again$/,
    );
  });

  it('the controller reads what is written: the clusters leave until then, and no others', async () => {
    const client = new ReleaseClient(heldWorld());
    await releaseClusters(client, REQUEST);
    const release = readRelease(written(client));

    expect(isReleased(release, 'prod-us-1', UNTIL - 1)).toBe(true);
    expect(isReleased(release, 'prod-us-1', UNTIL)).toBe(false);
    expect(isReleased(release, 'edge-eu-2', NOW)).toBe(false);
    const world = heldWorld();
    const placements = world.objects.placements.map((one) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { [ALLOW_REMOVALS_ANNOTATION]: written(client) } },
    }));
    const input = explainInputOf({ ...world, at: NOW, objects: { ...world.objects, placements } }, 'shop', 'web');
    if (input === undefined) throw new Error('the world has no Placement web');
    const { dropped, heldRemovals } = scheduled(input.snapshot);
    expect([dropped.map(({ cluster }) => cluster), heldRemovals]).toEqual([['prod-eu-2', 'prod-us-1'], []]);
  });

  it.each([
    [['prod-us-1'], 'prod-us-1', 'prod-us-1 may leave'],
    [['*'], '*', 'all clusters that fail a rule may leave'],
  ])('%j are released where they are named', async (clusters, names, text) => {
    const client = new ReleaseClient(heldWorld());

    expect(await releaseClusters(client, { ...REQUEST, clusters })).toContain(text);
    expect(written(client)).toBe(`2026-11-22T12:10:00Z/${names}`);
  });

  it('with --additions a cluster that waits is named, with what it waits for', async () => {
    const spec = { ...EXAMPLE_SPEC, numberOfClusters: undefined, paused: true };
    const client = new ReleaseClient(exampleWorld(spec, { placements: [decidedPlacement(spec)] }));

    expect(await releaseClusters(client, { ...REQUEST, additions: true })).toBe(
      'shop/web holds no cluster out: nothing to release; prod-ap-1 and 1 more: spec.paused is true',
    );
  });

  it('nothing is written when nothing is held', async () => {
    const client = new ReleaseClient(exampleWorld());

    expect(await releaseClusters(client, REQUEST)).toBe('shop/web holds no cluster: nothing to release');
    expect(client.patches).toEqual([]);
  });

  it('a Placement that is changed meanwhile is read and written again, three times at most', async () => {
    const client = new ReleaseClient(heldWorld(), { conflicts: 2 });
    await releaseClusters(client, REQUEST);

    expect(client.patches).toHaveLength(1);
    await expect(releaseClusters(new ReleaseClient(heldWorld(), { conflicts: 3 }), REQUEST)).rejects.toThrow(
      'Conflict',
    );
  });

  it.each([
    [
      'a name that the decision does not hold',
      {},
      { clusters: ['prod-us-9'] },
      'cluster prod-us-9 is not in the decision of shop/web',
    ],
    [
      'clusters that cannot be read',
      { denied: 'managedclusters' },
      {},
      'not readable: managedclusters (list: 403): which clusters are held is not known: name them with --clusters',
    ],
  ])('%s is refused, and nothing is written', async (_what, options, over, message) => {
    const client = new ReleaseClient(heldWorld(), options);

    await expect(releaseClusters(client, { ...REQUEST, ...over })).rejects.toThrow(message);
    expect(client.patches).toEqual([]);
  });

  it('a Placement that does not exist is not found', async () => {
    const client = new ReleaseClient(exampleWorld(EXAMPLE_SPEC, { placements: [] }));

    await expect(releaseClusters(client, REQUEST)).rejects.toThrow('Placement shop/web was not found');
  });
});
