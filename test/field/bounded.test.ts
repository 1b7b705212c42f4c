/**
 * All annotations of an object have 262144 bytes together. The release of 5,500 held clusters failed with the raw error of the
 * API, and the condition of the Placement advised the form that failed.
 * Right: every annotation and message that names clusters is bounded, whatever the fleet, and a release of any number of held
 * clusters works: the command that the condition advises, as it is.
 */
import { describe, expect, it } from '@jest/globals';

import { ALLOW_REMOVALS_ANNOTATION, MESSAGE_LIMIT } from '../../src/api/names.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { field, recordsIn } from '../../src/runtime/vocabulary/json.js';
import { releaseClusters } from '../../src/cli/commands/release.js';
import { explainInputOf } from '../../src/answers/world/world.js';
import { isReleased, MOST_RELEASED, readRelease, releaseText } from '../../src/domain/placement/spec/budget.js';
import { ApiError } from '../../src/runtime/errors.js';
import { exampleWorld } from '../support/builders/examplefleet.js';
import { NOW } from '../support/builders/hubinput.js';
import { predicate, rawCluster, rawDecision, rawPlacement } from '../support/builders/world.js';
import { ReleaseClient } from '../support/fakes/releaseclient.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { scheduled } from '../support/builders/scheduled.js';

const LIMIT = 262_144;
const UNTIL = NOW + 600_000;
/** Names of 253 characters, the longest. */
const longNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${String(index).padStart(5, '0')}-${'x'.repeat(247)}`);
const bytes = (text: string): number => Buffer.byteLength(text);

/** A Placement whose budget holds these clusters: their label has gone. */
function heldWorld(names: readonly string[]) {
  const spec = { predicates: [predicate({ tier: 'gold' })], disruptionBudget: { maxRemovals: 0 } };
  const { metadata, ...placement } = rawPlacement(spec);
  const slices = Array.from({ length: Math.ceil(names.length / 100) }, (_, at) =>
    rawDecision(at + 1, names.slice(at * 100, at * 100 + 100)),
  );
  return exampleWorld(spec, {
    placements: [{ ...placement, metadata: { ...metadata, resourceVersion: '7' } }],
    managedclusters: names.map((name) => rawCluster(name, { set: 'production' })),
    placementdecisions: slices,
  });
}

describe('a release', () => {
  it('of 10,000 held clusters with the longest names fits, and releases these and no other', async () => {
    const names = longNames(10_000);
    const world = heldWorld(names);
    const client = new ReleaseClient(world);

    const said = await releaseClusters(client, {
      namespace: 'shop',
      placement: 'web',
      clusters: undefined,
      now: NOW,
      until: UNTIL,
    });

    expect(bytes(said)).toBeLessThan(8_192);
    const text = client.patches[0]?.[1].annotations?.[ALLOW_REMOVALS_ANNOTATION] ?? '';
    expect(bytes(text)).toBeLessThan(LIMIT / 2);
    const placements = world.objects.placements.map((one) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { [ALLOW_REMOVALS_ANNOTATION]: text } },
    }));
    const input = explainInputOf({ ...world, at: NOW, objects: { ...world.objects, placements } }, 'shop', 'web');
    if (input === undefined) throw new Error('the world has no Placement web');
    const { dropped, heldRemovals } = scheduled(input.snapshot);
    expect([dropped.length, heldRemovals.length]).toEqual([10_000, 0]);
    const release = readRelease(text);
    expect(isReleased(release, 'another', NOW)).toBe(false);
    expect(isReleased(release, names[0] ?? '', UNTIL)).toBe(false);
  });

  it('of more clusters than can be named, or beside annotations that are full, names the form that works', async () => {
    expect(releaseText(UNTIL, longNames(MOST_RELEASED + 1))).toBeUndefined();
    const client = new ReleaseClient(heldWorld(['a']));
    client.patchMetadata = () =>
      Promise.reject(
        new ApiError({
          kind: 'Invalid',
          message: 'metadata.annotations: Too long',
          call: { verb: 'patch', resource: 'placements' },
          causes: [{ reason: 'FieldValueTooLong', field: 'metadata.annotations', message: '' }],
        }),
      );
    const request = { namespace: 'shop', placement: 'web', clusters: undefined, now: NOW, until: UNTIL };
    await expect(releaseClusters(client, request)).rejects.toThrow(
      "the annotations of shop/web are full: --clusters '*' releases all that fail a rule until then, or remove some of the others",
    );
  });

  it.each(['~', '~short', '~AAAAAAA!', '~AAAAAAAAA'])('that cannot be read releases nothing: %s', (list) => {
    expect(readRelease(`2026-11-22T12:10:00Z/${list}`)).toBeUndefined();
  });
});

describe('what the controllers write of 1,500 clusters with the longest names', () => {
  it('is bounded: annotations, conditions and events, while they come, are held, and leave', async () => {
    const names = longNames(1_500);
    const hub = new PlacementRig();
    for (const name of names) hub.cluster(name, { tier: 'gold' });
    const spec = (maxRemovals: number | string): object => ({
      predicates: [predicate({ tier: 'gold' })],
      disruptionBudget: { maxRemovals },
    });
    hub.place('web', spec(0));
    const seen: string[] = [];
    const check = (): void => {
      const types = [Placements, PlacementDecisions, ManagedClusterSets, ManagedClusterSetBindings, ManagedClusters];
      for (const type of types)
        for (const object of hub.api.all<KubeObject>(type)) {
          const annotations = Object.entries(object.metadata.annotations ?? {}).map(([key, value]) =>
            bytes(key + value),
          );
          expect(annotations.reduce((sum, one) => sum + one, 0)).toBeLessThan(LIMIT / 64);
          for (const one of recordsIn(field(Reflect.get(object, 'status'), 'conditions'))) {
            expect(String(one['message']).length).toBeLessThanOrEqual(MESSAGE_LIMIT);
            seen.push(String(one['type']));
          }
        }
      for (const { note } of hub.events) expect(note.length).toBeLessThanOrEqual(MESSAGE_LIMIT);
    };
    await hub.start();
    check();
    for (const name of names) hub.cluster(name, { tier: 'silver' });
    await hub.untilIdle();
    check();
    expect(hub.condition('web', 'RemovalsHeld')?.message).toContain('kubectl mce release placement web -n team');
    hub.place('web', spec('100%'));
    await hub.untilIdle();
    check();
    expect(Object.values(hub.decision('web')).flat()).toEqual([]);
    expect(new Set(seen)).toContain('RemovalsHeld');
  });
});
