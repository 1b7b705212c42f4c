import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectName, ResourceType, RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { LOCAL_CLUSTER_ANNOTATION } from '../../../src/api/names.js';
import { ManagedClusters, PlacementDecisions } from '../../../src/api/resources.js';
import { removeCluster } from '../../../src/cli/commands/cluster/remove.js';
import type { DeleteOptions } from '../../../src/runtime/client/client.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { rawDecision } from '../../support/builders/world.js';

interface HubOptions {
  readonly conflicts?: number;
  readonly denied?: boolean;
  readonly finalizer?: boolean;
  readonly cluster?: Pick<RawObject, 'spec'> & { readonly annotations?: Record<string, string> };
}

/** A hub with cluster edge-1 and a decision of Placement shop/web, which names `decided`. It records the deletions. */
class Hub {
  readonly deleted: unknown[] = [];
  readonly #decided: readonly string[];
  readonly #options: HubOptions;
  #reads = 0;

  constructor(decided: readonly string[], options: HubOptions = {}) {
    this.#decided = decided;
    this.#options = options;
  }

  async get<T extends KubeObject>(_type: ResourceType, { name }: ObjectName): Promise<T | undefined> {
    if (name !== 'edge-1') return undefined;
    const { annotations = {}, spec = { hubAcceptsClient: true } } = this.#options.cluster ?? {};
    return { metadata: { name, uid: 'u', resourceVersion: `${++this.#reads}`, annotations }, spec } as KubeObject as T;
  }

  async list<T extends KubeObject>(type: ResourceType): Promise<T[]> {
    // For the suggestion of a name.
    if (type === ManagedClusters) return [];
    expect(type).toBe(PlacementDecisions);
    if (this.#options.denied === true) throw failure('Forbidden', 403);
    return [rawDecision(1, this.#decided) as unknown as T];
  }

  async delete(
    type: ResourceType,
    { name }: ObjectName,
    { preconditions }: DeleteOptions,
  ): Promise<'gone' | 'deleting'> {
    // The first deletions meet a change of the agent.
    if (this.#reads <= (this.#options.conflicts ?? 0)) throw failure('Conflict', 409);
    this.deleted.push([type.plural, name, preconditions]);
    return this.#options.finalizer === true ? 'deleting' : 'gone';
  }
}

function failure(kind: 'Conflict' | 'Forbidden', status: number): ApiError {
  return new ApiError({ kind, status, message: kind, call: { verb: 'x', resource: 'y' } });
}

const remove = (hub: Hub, force = false, name = 'edge-1'): Promise<string> =>
  removeCluster(hub, { cluster: name, force });
/** The hub accepts no client for it. */
const WITHOUT_AGENT = { spec: {} };
const DELETED = [[ManagedClusters.plural, 'edge-1', { uid: 'u', resourceVersion: '1' }]];

describe('cluster remove', () => {
  it('a cluster that no decision names is deleted, as it was read', async () => {
    const hub = new Hub(['edge-2']);

    expect(await remove(hub)).toBe('edge-1 is removed: the tokens of its agent end with its ServiceAccount');
    expect(hub.deleted).toEqual(DELETED);
  });

  it('the answer names no agent for a cluster that has none', async () => {
    expect(await remove(new Hub([], { cluster: WITHOUT_AGENT }))).toBe('edge-1 is removed');
  });

  it('the answer says that the cluster that stands for the hub comes back', async () => {
    const cluster = { ...WITHOUT_AGENT, annotations: { [LOCAL_CLUSTER_ANNOTATION]: 'true' } };

    expect(await remove(new Hub([], { cluster }))).toBe(
      'edge-1 is removed, which stands for the hub: while spec.localCluster of an engine is on it is made again, in no set',
    );
  });

  it('a cluster that a decision names is refused, with the Placement, and deleted with --force', async () => {
    const hub = new Hub(['edge-1', 'edge-2']);

    await expect(remove(hub)).rejects.toThrow(
      'decisions of shop/web name edge-1: drain it first (drain edge-1); --force removes it anyway',
    );
    expect(hub.deleted).toEqual([]);
    await remove(hub, true);
    expect(hub.deleted).toHaveLength(1);
  });

  it('a cluster is refused where decisions cannot be read, and deleted with --force', async () => {
    const hub = new Hub([], { denied: true });

    await expect(remove(hub)).rejects.toThrow(
      'not readable: placementdecisions (list: 403): whether a decision names edge-1 is not known; --force removes it anyway',
    );
    await remove(hub, true);
    expect(hub.deleted).toHaveLength(1);
  });

  it('a cluster that its agent changes meanwhile is read again, five times at most', async () => {
    const hub = new Hub([], { conflicts: 4 });
    await remove(hub);

    expect(hub.deleted).toEqual([[ManagedClusters.plural, 'edge-1', { uid: 'u', resourceVersion: '5' }]]);
    await expect(remove(new Hub([], { conflicts: 5 }))).rejects.toThrow('Conflict');
  });

  it('a finalizer is reported, and a cluster that does not exist is not found', async () => {
    expect(await remove(new Hub([], { finalizer: true }))).toBe(
      'edge-1 is being deleted: something holds it by a finalizer',
    );
    await expect(remove(new Hub([]), false, 'edge-9')).rejects.toThrow('ManagedCluster edge-9 was not found');
  });
});
