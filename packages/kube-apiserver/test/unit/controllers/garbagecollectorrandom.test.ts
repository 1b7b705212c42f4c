import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../src/status.js';
import { Cluster, ownedBy } from './cluster.js';

const OBJECTS = 8;

const family = fc.record({
  /** For each object: its owners among the earlier objects, and whether it blocks their deletion. */
  owners: fc.array(
    fc.uniqueArray(fc.tuple(fc.nat(OBJECTS - 1), fc.boolean()), { maxLength: 2, selector: ([owner]) => owner }),
    { minLength: OBJECTS, maxLength: OBJECTS },
  ),
  deletions: fc.array(
    fc.tuple(fc.nat(OBJECTS - 1), fc.constantFrom('Background', 'Foreground', 'Orphan'), fc.boolean()),
    { minLength: 1, maxLength: 4 },
  ),
});

/** Violations that must not remain when the controllers are idle. */
function violations(objects: readonly KubeObject[]): string[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  return objects.flatMap(({ metadata: { name = '', ownerReferences = [], deletionTimestamp } }) => {
    const lost = ownerReferences.filter(({ uid }) => !uids.has(uid));
    return [
      ...(lost.length > 0 ? [`${name} names owners that do not exist`] : []),
      ...(deletionTimestamp === undefined ? [] : [`${name} is still being deleted`]),
    ];
  });
}

it('after random deletions among random owners no object waits and no reference names an absent owner', async () => {
  await fc.assert(
    fc.asyncProperty(family, async ({ owners, deletions }) => {
      const fixture = new Cluster();
      await fixture.readyNamespace('ns');
      const made: KubeObject[] = [];
      for (const [index, owned] of owners.entries()) {
        const earlier = owned.flatMap(([owner, blockOwnerDeletion]) =>
          made[owner] === undefined ? [] : [ownedBy(made[owner], { blockOwnerDeletion })],
        );
        made.push(await fixture.configMap(`o${index}`, earlier.length === 0 ? {} : { ownerReferences: earlier }));
      }
      for (const [index, propagationPolicy, settled] of deletions) {
        await fixture
          .delete(`configmaps/ns/o${index}`, { propagationPolicy })
          .catch((error: unknown) => expect(error).toBeInstanceOf(StatusError));
        if (settled) await fixture.idle();
      }
      await fixture.clock.advance(120_000);
      await fixture.idle();

      expect(violations(fixture.reader.list('configmaps', 'ns'))).toEqual([]);
      for (const [index] of deletions) expect(fixture.configMapNames()).not.toContain(`o${index}`);
      expect(fixture.clock.pending).toBe(0);
    }),
    { numRuns: 40 },
  );
}, 180_000);
