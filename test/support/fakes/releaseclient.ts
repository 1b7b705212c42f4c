import type { KubeObject, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import type { World } from '../../../src/answers/world/world.js';
import type { MetadataPatch, ReadClient, WriteClient } from '../../../src/runtime/client/client.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { EXAMPLE_SPEC, exampleWorld } from '../builders/examplefleet.js';
import { rawPlacement, rawSet } from '../builders/world.js';

const BUDGET = { ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } };

/** The example after the set production was deleted: the budget holds prod-eu-2 and prod-us-1. */
export function heldWorld(): World {
  const placement = rawPlacement(BUDGET);
  return exampleWorld(BUDGET, {
    placements: [{ ...placement, metadata: { ...placement.metadata, resourceVersion: '7' } }],
    managedclustersets: [
      rawSet('edge', { selectorType: 'LabelSelector', labelSelector: { matchLabels: { tier: 'edge' } } }),
    ],
  });
}

/** Serves a world, and records what is written. */
export class ReleaseClient implements ReadClient, Pick<WriteClient, 'patchMetadata'> {
  readonly patches: (readonly [ObjectName, MetadataPatch])[] = [];
  readonly #world: World;
  #conflicts: number;
  readonly #denied: string | undefined;

  constructor(world: World, { conflicts = 0, denied }: { readonly conflicts?: number; readonly denied?: string } = {}) {
    this.#world = world;
    this.#conflicts = conflicts;
    this.#denied = denied;
  }

  get<T extends KubeObject>(): Promise<T | undefined> {
    return Promise.resolve(this.#world.objects.placements[0] as T | undefined);
  }

  list<T extends KubeObject>({ plural }: ResourceType): Promise<T[]> {
    if (plural === this.#denied) return Promise.reject(failure('Forbidden', 403));
    return Promise.resolve([...((this.#world.objects as Record<string, readonly KubeObject[]>)[plural] ?? [])] as T[]);
  }

  patchMetadata<T extends KubeObject>(_type: ResourceType, name: ObjectName, patch: MetadataPatch): Promise<T> {
    if (this.#conflicts-- > 0) return Promise.reject(failure('Conflict', 409));
    this.patches.push([name, patch]);
    return Promise.resolve({ metadata: name } as T);
  }
}

function failure(kind: 'Conflict' | 'Forbidden', status: number): ApiError {
  return new ApiError({ kind, status, message: kind, call: { verb: 'x', resource: 'y' } });
}
