import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { integerAt } from '../../../src/domain/engine/manifest/manifest.js';
import { conditionIn } from '../../../src/domain/conditions.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { field, recordsIn, textField } from '../../../src/runtime/vocabulary/json.js';
import { Deployments } from '../../../src/runtime/vocabulary/kinds.js';
import { timestamp, type KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import type { Hands } from './hands.js';
import type { Simulation } from './time.js';

const COLLECTION = resourceOf(Deployments);
/** After a change, until it is observed, and then until its pods are ready, ms. */
const OBSERVED_MS = 200;
const READY_MS = 1_000;
/** Until a change that makes no pod ready is given up, ms (`progressDeadlineSeconds`). */
const DEADLINE_MS = 600_000;
/** The end of an image that does not start. */
export const BROKEN = '-broken';

/**
 * The controller of Deployments, without pods: it observes a change after a moment, and a moment later all replicas are up to
 * date and available, unless their image does not start. No fault hits it.
 */
export class DeploymentController {
  readonly #simulation: Simulation;
  readonly #server: MemoryServer;
  readonly #hands: Hands;
  readonly #subscription: { end(): void };
  readonly #waiting = new Set<string>();
  #isOver = false;

  constructor(simulation: Simulation, server: MemoryServer, hands: Hands) {
    this.#simulation = simulation;
    this.#server = server;
    this.#hands = hands;
    this.#subscription = server.observe(COLLECTION, ({ type, entry }) => {
      if (type === 'put') this.#await(entry.key, OBSERVED_MS);
    });
    for (const { key } of server.store.list(COLLECTION, '')) this.#await(key, OBSERVED_MS);
  }

  end(): void {
    this.#isOver = true;
    this.#subscription.end();
  }

  #await(key: string, ms: number): void {
    // Of each change by itself: what does not start is given up only after minutes.
    const waiting = `${key} ${this.#server.store.get(COLLECTION, key)?.object.metadata.generation}`;
    if (this.#waiting.has(waiting) || this.#next(key) === undefined) return;
    this.#waiting.add(waiting);
    this.#simulation.after(ms, () => {
      this.#waiting.delete(waiting);
      const next = this.#isOver ? undefined : this.#next(key);
      if (next === undefined) return;
      // Refused: it was deleted at this moment.
      void this.#hands.patch(Deployments, next.name, { status: next.status }, 'status').catch(() => undefined);
      this.#await(key, isBroken(this.#server.store.get(COLLECTION, key)?.object) ? DEADLINE_MS : READY_MS);
    });
  }

  /** The status that the Deployment gets next; undefined when nothing is to be said. */
  #next(key: string): { readonly name: KubeObject['metadata']; readonly status: object } | undefined {
    const object = this.#server.store.get(COLLECTION, key)?.object as KubeObject | undefined;
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
    const { generation = 1 } = object.metadata;
    const wanted = integerAt(object, 1, 'spec', 'replicas');
    const observed = integerAt(object, 0, 'status', 'observedGeneration');
    const updated = integerAt(object, 0, 'status', 'updatedReplicas');
    const available = integerAt(object, 0, 'status', 'availableReplicas');
    const now = timestamp(this.#simulation.now());
    if (observed !== generation)
      return { name: object.metadata, status: statusOf({ generation, wanted, now }, 0, Math.min(available, wanted)) };
    if (isBroken(object)) {
      const { reason } = conditionIn(field(object, 'status'), 'Progressing') ?? {};
      const status = statusOf({ generation, wanted, now, isGivenUp: true }, 0, Math.min(available, wanted));
      return reason === GIVEN_UP ? undefined : { name: object.metadata, status };
    }
    if (updated === wanted && available === wanted) return undefined;
    return { name: object.metadata, status: statusOf({ generation, wanted, now }, wanted, wanted) };
  }
}

const GIVEN_UP = 'ProgressDeadlineExceeded';

function isBroken(deployment: unknown): boolean {
  const containers = field(field(field(field(deployment, 'spec'), 'template'), 'spec'), 'containers');
  return recordsIn(containers).some((one) => textField(one, 'image').endsWith(BROKEN));
}

interface Rollout {
  readonly generation: number;
  readonly wanted: number;
  readonly now: string;
  readonly isGivenUp?: boolean;
}

function statusOf({ generation, wanted, now, isGivenUp = false }: Rollout, updated: number, available: number): object {
  const isDone = updated === wanted;
  const times = { lastUpdateTime: now, lastTransitionTime: now };
  const isAvailable = available > 0 || wanted === 0;
  return {
    observedGeneration: generation,
    replicas: isDone ? wanted : available,
    updatedReplicas: updated,
    readyReplicas: available,
    availableReplicas: available,
    conditions: [
      {
        type: 'Available',
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: '',
        ...times,
      },
      {
        type: 'Progressing',
        status: isGivenUp ? 'False' : 'True',
        reason: isGivenUp ? GIVEN_UP : isDone ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        message: '',
        ...times,
      },
    ],
  };
}
