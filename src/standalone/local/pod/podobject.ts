import type { KubeObject, ResourceType } from '../../../runtime/vocabulary/meta.js';
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

interface PodObjectName {
  readonly namespace: string;
  readonly replicaSet: string;
  readonly name: string;
}

/** How many Events wait for their Pod; when there are more, the oldest are dropped. */
const MAX_PENDING_EVENTS = 20;
/** How often a write is attempted while other clients change the object. */
const MAX_ATTEMPTS = 3;

/**
 * The Pod of one process as an object of the API, and its ReplicaSet, which has one Pod at a time.
 *
 * Guarantees: a status is written only where it has changed; Events are recorded on the Pod, once it exists. A Pod that
 * was deleted is not created again.
 */
export class PodObject {
  readonly name: PodObjectName;
  readonly #deps: PodObjectDeps;
  #pod: KubeObject | undefined;
  #replicaSet: KubeObject | undefined;
  #status: PodStatus | undefined;
  /** The status of condition Ready that the ReplicaSet was written with. */
  #ready: string | undefined;
  #deleted = false;
  #pendingEvents: PodEvent[] = [];

  constructor(deps: PodObjectDeps, name: PodObjectName) {
    this.#deps = deps;
    this.name = name;
  }

  /** Whether the Pod was created. It may be deleted since: see {@link isDeleted}. */
  get exists(): boolean {
    return this.#pod !== undefined;
  }

  /** Whether the Pod is deleted or being deleted, by another client or by {@link terminate} and {@link remove}. */
  get isDeleted(): boolean {
    return this.#deleted;
  }

  /** Takes note of the Pod in a watch event; `pod` is undefined where it is gone. */
  observe(pod: KubeObject | undefined): void {
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) this.#deleted = true;
  }

  /** Records an Event on the Pod, or keeps it until the Pod is created. */
  record(event: PodEvent): void {
    if (this.#pod === undefined) this.#pendingEvents = [...this.#pendingEvents, event].slice(-MAX_PENDING_EVENTS);
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
    await this.#syncReplicaSet(status, signal);
  }

  /** Marks the Pod as being deleted, before its process is stopped. */
  async terminate(): Promise<void> {
    const pod = this.#pod;
    if (this.#deleted || pod === undefined) return;
    await this.#delete(Pods, pod);
    this.#deleted = true;
  }

  /** Removes the Pod after its process has ended, and the ReplicaSet too, unless another Pod of it follows. */
  async remove(keepReplicaSet: boolean): Promise<void> {
    if (this.#pod !== undefined) await this.#delete(Pods, this.#pod, 0);
    this.#pod = undefined;
    this.#deleted = true;
    const replicaSet = this.#replicaSet;
    if (replicaSet === undefined) return;
    if (keepReplicaSet) await this.#writeStatus(ReplicaSets, replicaSet, { replicas: 0 });
    else await this.#delete(ReplicaSets, replicaSet);
    this.#replicaSet = undefined;
  }

  async #create(deployment: Deployment, signal: AbortSignal): Promise<void> {
    const { client, fieldManager, nodeName } = this.#deps;
    this.#replicaSet = await this.#ensureReplicaSet(deployment, signal);
    const pod = podOf(deployment, this.#replicaSet, { name: this.name.name, nodeName });
    this.#pod = await client.create(Pods, pod, { fieldManager, signal });
    const events = this.#pendingEvents;
    this.#pendingEvents = [];
    for (const event of events) this.record(event);
  }

  /** Finds or creates the ReplicaSet of the template, and deletes those of earlier templates. */
  async #ensureReplicaSet(deployment: Deployment, signal: AbortSignal): Promise<KubeObject> {
    const { client, fieldManager } = this.#deps;
    const { namespace, replicaSet } = this.name;
    const all = await client.list<KubeObject>(ReplicaSets, namespace, { signal });
    const own = all.filter((one) => isControlledBy(one, deployment));
    for (const old of own.filter(({ metadata }) => metadata.name !== replicaSet)) await this.#delete(ReplicaSets, old);
    const found = own.find(({ metadata }) => metadata.name === replicaSet);
    return found ?? client.create(ReplicaSets, replicaSetOf(deployment, replicaSet), { fieldManager, signal });
  }

  /** Writes the status of the ReplicaSet where the Pod has become ready or not ready. */
  async #syncReplicaSet({ conditions }: PodStatus, signal: AbortSignal): Promise<void> {
    const ready = conditions.find(({ type }) => type === 'Ready')?.status;
    if (ready === this.#ready) return;
    const readyCounts = ready === 'True' ? { readyReplicas: 1, availableReplicas: 1 } : {};
    const { generation = 1 } = this.#replicaSet?.metadata ?? {};
    const status = { replicas: 1, fullyLabeledReplicas: 1, observedGeneration: generation, ...readyCounts };
    this.#replicaSet = await this.#writeStatus(ReplicaSets, this.#replicaSet, status, signal);
    this.#ready = ready;
  }

  /** Writes a status over the newest state of the object; returns it, or undefined where the object is gone. */
  async #writeStatus(
    type: ResourceType,
    object: KubeObject | undefined,
    status: object,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const { client, fieldManager } = this.#deps;
    const options = { fieldManager, ...(signal === undefined ? {} : { signal }) };
    let newest = object;
    for (let left = MAX_ATTEMPTS; newest !== undefined; left -= 1) {
      try {
        return await client.updateStatus<KubeObject>(type, { ...newest, status } as KubeObject, options);
      } catch (error) {
        if (isFailure(error, 'NotFound')) return undefined;
        if (!isFailure(error, 'Conflict') || left <= 1) throw error;
        newest = await newestOf(client, type, newest);
      }
    }
    return undefined;
  }

  #delete(type: ResourceType, object: KubeObject, gracePeriodSeconds?: number): Promise<void> {
    return deleteObject(this.#deps.client, type, object, gracePeriodSeconds);
  }
}

/** Deletes the Pods that an earlier process has left on the node: nothing runs them any more. */
export async function removeStalePods(client: KubeClient, nodeName: string): Promise<void> {
  const pods = await client.list<KubeObject>(Pods, undefined, { fieldSelector: `spec.nodeName=${nodeName}` });
  for (const pod of pods) await deleteObject(client, Pods, pod, 0);
}

/**
 * Deletes this object, and no later one of the same name; tries again where other clients change it. Without `gracePeriodSeconds`
 * that of the object counts.
 */
async function deleteObject(
  client: KubeClient,
  type: ResourceType,
  object: KubeObject,
  gracePeriodSeconds?: number,
): Promise<void> {
  let newest: KubeObject | undefined = object;
  for (let left = MAX_ATTEMPTS; newest !== undefined; left -= 1) {
    const { uid = '', resourceVersion = '' } = newest.metadata;
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    try {
      await client.delete(type, newest.metadata, { preconditions: { uid, resourceVersion }, ...grace });
      return;
    } catch (error) {
      if (!isFailure(error, 'Conflict') || left <= 1) throw error;
      newest = await newestOf(client, type, newest);
    }
  }
}

/** The stored object; undefined where it is gone, or is another one of the same name. */
async function newestOf(client: KubeClient, type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
  const { namespace = '', name, uid } = object.metadata;
  const found = await client.get<KubeObject>(type, { namespace, name });
  return found?.metadata.uid === uid ? found : undefined;
}
