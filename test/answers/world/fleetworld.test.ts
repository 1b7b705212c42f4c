import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ResourceType, RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { DECISION_REVISION_ANNOTATION } from '../../../src/api/names.js';
import { readFleetWorld, type FleetScope } from '../../../src/answers/world/worlds.js';
import { WORLD_RESOURCES } from '../../../src/answers/world/world.js';
import type { ReadClient } from '../../../src/runtime/client/client.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import { rawDecision, rawPlacement } from '../../support/builders/world.js';

type Lists = (plural: string, namespace: string | undefined) => ApiError | readonly RawObject[];

const SCOPE: FleetScope = { namespace: undefined, fallback: () => 'shop', resources: WORLD_RESOURCES };
const NAMESPACED = ['placements', 'placementdecisions', 'managedclustersetbindings'];

/** Records its calls. */
class ListClient implements ReadClient {
  readonly calls: string[] = [];
  readonly #lists: Lists;

  constructor(lists: Lists) {
    this.#lists = lists;
  }

  get(): Promise<undefined> {
    throw new Error('nothing is read by name');
  }

  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined): Promise<T[]> {
    this.calls.push(`${type.plural} ${namespace ?? '*'}`);
    const found = this.#lists(type.plural, namespace);
    return found instanceof ApiError ? Promise.reject(found) : Promise.resolve([...found] as unknown as T[]);
  }
}

function failure(kind: FailureKind, status: number): ApiError {
  return new ApiError({ kind, status, message: kind, call: { verb: 'list', resource: 'x' } });
}

/** A Placement whose status lists decision 1 at a revision, and that decision at one. */
function decided(inStatus: string, stored: string): Lists {
  const decision = rawDecision(1, ['a']);
  const annotations = { [DECISION_REVISION_ANNOTATION]: stored };
  const objects: Readonly<Record<string, readonly RawObject[]>> = {
    placements: [{ ...rawPlacement({}), status: { decisions: [{ name: 'web-decision-1', revision: inStatus }] } }],
    placementdecisions: [{ ...decision, metadata: { ...decision.metadata, annotations } }],
  };
  return (plural) => objects[plural] ?? [];
}

describe('readFleetWorld', () => {
  it('each kind is listed once, in all namespaces', async () => {
    const client = new ListClient(decided('new', 'new'));
    const { world, namespace, refused } = await readFleetWorld(client, SCOPE);

    expect([...client.calls].sort()).toEqual(WORLD_RESOURCES.map((one) => `${one} *`).sort());
    expect([namespace, refused, world.withheld]).toEqual([undefined, [], []]);
    expect(world.objects.placements).toHaveLength(1);
  });

  it('decisions that never fit their Placements are listed three times', async () => {
    const client = new ListClient(decided('old', 'new'));
    await readFleetWorld(client, SCOPE);

    expect(client.calls.filter((call) => call === 'placementdecisions *')).toHaveLength(3);
    expect(client.calls.filter((call) => call === 'managedclusters *')).toHaveLength(1);
  });

  it('without the right for all namespaces, the objects of one are read, and what was refused is reported', async () => {
    const client = new ListClient((plural, within) =>
      within === undefined && NAMESPACED.includes(plural) ? failure('Forbidden', 403) : [],
    );
    const { namespace, refused, world } = await readFleetWorld(client, SCOPE);

    expect(namespace).toBe('shop');
    expect(refused.map(({ resource, status }) => `${resource} ${status}`).sort()).toEqual(
      NAMESPACED.map((one) => `${one} 403`).sort(),
    );
    expect(world.withheld).toEqual([]);
    expect(client.calls).toContain('placements shop');
  });

  it.each(WORLD_RESOURCES)('%s that may be listed nowhere are withheld', async (resource) => {
    const client = new ListClient((plural) => (plural === resource ? failure('Forbidden', 403) : []));

    expect((await readFleetWorld(client, SCOPE)).world.withheld).toEqual([{ resource, verb: 'list', status: 403 }]);
  });

  it('types that are not served are withheld, and no other namespace is tried', async () => {
    const client = new ListClient(() => failure('ResourceMissing', 404));
    const { world, namespace } = await readFleetWorld(client, SCOPE);

    expect(namespace).toBeUndefined();
    expect(world.withheld).toHaveLength(WORLD_RESOURCES.length);
    expect(client.calls).not.toContain('placements shop');
  });

  it('any other error is thrown', async () => {
    const client = new ListClient(() => failure('Unauthorized', 401));

    await expect(readFleetWorld(client, SCOPE)).rejects.toThrow('Unauthorized');
  });
});
