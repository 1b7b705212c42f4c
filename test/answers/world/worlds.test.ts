import { describe, expect, it } from '@jest/globals';
import { DECISION_REVISION_ANNOTATION } from '../../../src/api/names.js';
import type { KubeObject, ResourceType, RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { readPlacementWorld, worldOfObjects } from '../../../src/answers/world/worlds.js';
import type { ReadClient } from '../../../src/runtime/client/client.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import { rawCluster, rawDecision, rawPlacement } from '../../support/builders/world.js';

const WEB = { namespace: 'shop', name: 'web' };

function failure(kind: FailureKind, status: number): ApiError {
  return new ApiError({ kind, status, message: kind, call: { verb: 'list', resource: 'x' } });
}

/** A client that records its calls; an error or a list by the plural name of the type. */
class RecordingClient implements ReadClient {
  readonly calls: string[] = [];
  readonly #placement: () => RawObject | undefined;
  readonly #lists: Readonly<Record<string, ApiError | readonly RawObject[]>>;

  constructor(
    placement: () => RawObject | undefined,
    lists: Readonly<Record<string, ApiError | readonly RawObject[]>> = {},
  ) {
    this.#placement = placement;
    this.#lists = lists;
  }

  get<T extends KubeObject>(type: ResourceType): Promise<T | undefined> {
    this.calls.push(`get ${type.plural}`);
    return Promise.resolve(this.#placement() as T | undefined);
  }

  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined): Promise<T[]> {
    this.calls.push(`list ${type.plural} ${namespace ?? '*'}`);
    const found = this.#lists[type.plural] ?? [];
    return found instanceof ApiError ? Promise.reject(found) : Promise.resolve([...found] as unknown as T[]);
  }
}

function decidedAt(revision: string): RawObject {
  return { ...rawPlacement({}), status: { decisions: [{ name: 'web-decision-1', revision }] } };
}

function storedAt(revision: string): RawObject {
  const object = rawDecision(1, ['a']);
  return { ...object, metadata: { ...object.metadata, annotations: { [DECISION_REVISION_ANNOTATION]: revision } } };
}

describe('readPlacementWorld', () => {
  it('a world is read with one GET and four LISTs, of namespaced kinds in the namespace alone', async () => {
    const client = new RecordingClient(() => rawPlacement({}), { managedclusters: [rawCluster('a')] });
    const world = await readPlacementWorld(client, WEB);

    expect(client.calls.sort()).toEqual([
      'get placements',
      'list managedclusters *',
      'list managedclustersetbindings shop',
      'list managedclustersets *',
      'list placementdecisions shop',
    ]);
    expect(world.objects.managedclusters).toHaveLength(1);
    expect(world.withheld).toEqual([]);
  });

  it.each([
    ['a missing right', 'Forbidden', 403],
    ['a type that is not served', 'ResourceMissing', 404],
  ] as const)('%s is withheld', async (_what, kind, status) => {
    const client = new RecordingClient(() => rawPlacement({}), { managedclusters: failure(kind, status) });

    expect((await readPlacementWorld(client, WEB)).withheld).toEqual([
      { resource: 'managedclusters', verb: 'list', status },
    ]);
  });

  it('any other error is thrown', async () => {
    const client = new RecordingClient(() => rawPlacement({}), { managedclusters: failure('Unauthorized', 401) });

    await expect(readPlacementWorld(client, WEB)).rejects.toThrow('Unauthorized');
  });

  it('a decision that changes while it is read is read again', async () => {
    const reads = ['old', 'new'];
    const client = new RecordingClient(() => decidedAt(reads.shift() ?? 'later'), {
      placementdecisions: [storedAt('new')],
    });
    const world = await readPlacementWorld(client, WEB);

    expect(client.calls.filter((call) => call === 'get placements')).toHaveLength(2);
    expect(world.objects.placements).toEqual([decidedAt('new')]);
  });

  it('a decision that never fits is read three times', async () => {
    const client = new RecordingClient(() => decidedAt('old'), { placementdecisions: [storedAt('new')] });
    await readPlacementWorld(client, WEB);

    expect(client.calls.filter((call) => call === 'get placements')).toHaveLength(3);
  });

  it('a Placement that does not exist is in no world', async () => {
    expect((await readPlacementWorld(new RecordingClient(() => undefined), WEB)).objects.placements).toEqual([]);
  });
});

describe('worldOfObjects', () => {
  const fleet = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1' };

  it('objects of namespaced kinds without a namespace are in the given one, and other kinds are left out', () => {
    const { objects } = worldOfObjects(
      [
        { ...fleet, kind: 'Placement', metadata: { name: 'web' } },
        { ...fleet, kind: 'Placement', metadata: { name: 'api', namespace: 'bank' } },
        { ...fleet, kind: 'ManagedCluster', metadata: { name: 'a' } },
        { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata: { name: 'b' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
      ],
      'shop',
    );

    expect(objects.placements.map(({ metadata }) => metadata)).toEqual([
      { name: 'web', namespace: 'shop' },
      { name: 'api', namespace: 'bank' },
    ]);
    expect(objects.managedclusters.map(({ metadata }) => metadata)).toEqual([{ name: 'a' }]);
  });
});
