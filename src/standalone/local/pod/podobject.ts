import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { Pods, ReplicaSets, isControlledBy } from '../../../runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Clock } from '../../../runtime/clock.js';
import { isFailure } from '../../../runtime/errors.js';
import { podOf, replicaSetOf } from './manifest.js';
import { podStatus, type PodObservation, type PodStatus } from './podstatus.js';
import type { PodEvent } from './replica.js';
import type { Deployment } from '../workload.js';

export interface PodObjectDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly nodeName: string;
  readonly fieldManager: string;
}

export interface PodObjectName {
  readonly namespace: string;
  readonly replicaSet: string;
  readonly name: string;
}

/** Events that wait for their Pod; more are dropped. */
const MOST_PENDING = 20;
/** Attempts of a write while other clients change the object. */
const TRIES = 3;

/**
 * The Pod of one process in the API, and its ReplicaSet.
 *
 * Guarantees: a write only where something has changed; Events are recorded on the Pod, once it exists. A Pod that was
 * deleted by another client is not created again.
 */
export class PodObject {
  readonly name: PodObjectName;
  readonly #deps: PodObjectDeps;
  #pod: KubeObject | undefined;
  #replicaSet: KubeObject | undefined;
  #status: PodStatus | undefined;
  #ready: string | undefined;
  #deleted = false;
  #pending: PodEvent[] = [];

  constructor(deps: PodObjectDeps, name: PodObjectName) {
    this.#deps = deps;
    this.name = name;
  }

  /** Whether the Pod was created. */
  get exists(): boolean {
    return this.#pod !== undefined;
  }

  /** Whether another client has deleted it, or has asked to. */
  get isDeleted(): boolean {
    return this.#deleted;
  }

  /** Takes note of the Pod in a watch event: undefined where it is gone. */
  observe(pod: KubeObject | undefined): void {
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) this.#deleted = true;
  }

  record(event: PodEvent): void {
    if (this.#pod === undefined) this.#pending = [...this.#pending, event].slice(-MOST_PENDING);
    else this.#deps.events.record({ regarding: { ...this.#pod, apiVersion: 'v1', kind: Pods.kind }, ...event });
  }

  /** Creates the objects, and writes their status where it has changed. Errors: ApiError. */
  async sync(deployment: Deployment, observed: PodObservation, signal: AbortSignal): Promise<void> {
    if (this.#deleted) return;
    if (this.#pod === undefined) await this.#create(deployment, signal);
    const status = podStatus(observed, this.#status, this.#deps.clock.now());
    if (JSON.stringify(status) !== JSON.stringify(this.#status)) {
      this.#pod = await this.#writeStatus(Pods, this.#pod, status, signal);
      if (this.#pod === undefined) this.#deleted = true;
      this.#status = status;
    }
    const ready = status.conditions.find(({ type }) => type === 'Ready')?.status;
    if (ready === this.#ready) return;
    const counts = ready === 'True' ? { readyReplicas: 1, availableReplicas: 1 } : {};
    const { generation = 1 } = this.#replicaSet?.metadata ?? {};
    const ofSet = { replicas: 1, fullyLabeledReplicas: 1, observedGeneration: generation, ...counts };
    this.#replicaSet = await this.#writeStatus(ReplicaSets, this.#replicaSet, ofSet, signal);
    this.#ready = ready;
  }

  /** Marks the Pod as being deleted, before its process is stopped. */
  async terminate(): Promise<void> {
    const pod = this.#pod;
    if (this.#deleted || pod === undefined) return;
    await this.#delete(Pods, pod, undefined);
    this.#deleted = true;
  }

  /** Removes the Pod after its process has ended, and the ReplicaSet unless another Pod of it follows. */
  async remove(keepReplicaSet: boolean): Promise<void> {
    if (this.#pod !== undefined) await this.#delete(Pods, this.#pod, 0);
    this.#pod = undefined;
    this.#deleted = true;
    const replicaSet = this.#replicaSet;
    if (replicaSet === undefined) return;
    if (keepReplicaSet) await this.#writeStatus(ReplicaSets, replicaSet, { replicas: 0 });
    else await this.#delete(ReplicaSets, replicaSet, undefined);
    this.#replicaSet = undefined;
  }

  async #create(deployment: Deployment, signal: AbortSignal): Promise<void> {
    const { client, fieldManager, nodeName } = this.#deps;
    this.#replicaSet = await this.#ensureReplicaSet(deployment, signal);
    const pod = podOf(deployment, this.#replicaSet, { name: this.name.name, nodeName });
    this.#pod = await client.create(Pods, pod, { fieldManager, signal });
    const pending = this.#pending;
    this.#pending = [];
    for (const event of pending) this.record(event);
  }

  /** The ReplicaSet of the template; those of earlier templates are deleted. */
  async #ensureReplicaSet(deployment: Deployment, signal: AbortSignal): Promise<KubeObject> {
    const { client, fieldManager } = this.#deps;
    const { namespace, replicaSet } = this.name;
    const all = await client.list<KubeObject>(ReplicaSets, namespace, { signal });
    const own = all.filter((set) => isControlledBy(set, deployment));
    for (const old of own.filter(({ metadata }) => metadata.name !== replicaSet))
      await this.#delete(ReplicaSets, old, undefined);
    const found = own.find(({ metadata }) => metadata.name === replicaSet);
    return found ?? client.create(ReplicaSets, replicaSetOf(deployment, replicaSet), { fieldManager, signal });
  }

  /** Writes a status over the newest state of the object; returns it, or undefined where the object is gone. */
  async #writeStatus(
    type: typeof Pods,
    object: KubeObject | undefined,
    status: object,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const { client, fieldManager } = this.#deps;
    const options = { fieldManager, ...(signal === undefined ? {} : { signal }) };
    let base = object;
    for (let left = TRIES; base !== undefined; left -= 1) {
      try {
        return await client.updateStatus<KubeObject>(type, { ...base, status } as KubeObject, options);
      } catch (error) {
        if (isFailure(error, 'NotFound')) return undefined;
        if (!isFailure(error, 'Conflict') || left <= 1) throw error;
        base = await this.#newest(type, base);
      }
    }
    return undefined;
  }

  async #delete(type: typeof Pods, object: KubeObject, gracePeriodSeconds: number | undefined): Promise<void> {
    await deleteObject(this.#deps.client, { type, object, gracePeriodSeconds });
  }

  /** The stored object; undefined where it is gone, or is another one of the same name. */
  async #newest(type: typeof Pods, object: KubeObject): Promise<KubeObject | undefined> {
    return newestOf(this.#deps.client, type, object);
  }
}

/** Deletes the Pods on the node that an earlier process has left: nothing runs them any more. */
export async function removeStalePods(client: KubeClient, nodeName: string): Promise<void> {
  const pods = await client.list<KubeObject>(Pods, undefined, { fieldSelector: `spec.nodeName=${nodeName}` });
  for (const object of pods) await deleteObject(client, { type: Pods, object, gracePeriodSeconds: 0 });
}

interface Deletion {
  readonly type: typeof Pods;
  readonly object: KubeObject;
  /** That of the object when undefined. */
  readonly gracePeriodSeconds: number | undefined;
}

async function deleteObject(client: KubeClient, { type, object, gracePeriodSeconds }: Deletion): Promise<void> {
  let base: KubeObject | undefined = object;
  for (let left = TRIES; base !== undefined; left -= 1) {
    const { uid = '', resourceVersion = '' } = base.metadata;
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    try {
      await client.delete(type, base.metadata, { preconditions: { uid, resourceVersion }, ...grace });
      return;
    } catch (error) {
      if (!isFailure(error, 'Conflict') || left <= 1) throw error;
      base = await newestOf(client, type, base);
    }
  }
}

async function newestOf(client: KubeClient, type: typeof Pods, object: KubeObject): Promise<KubeObject | undefined> {
  const { namespace = '', name, uid } = object.metadata;
  const found = await client.get<KubeObject>(type, { namespace, name });
  return found?.metadata.uid === uid ? found : undefined;
}
