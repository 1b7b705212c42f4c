import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { systemRandom, type Clock } from '../../../runtime/clock.js';
import { createController, type Controller } from '../../../runtime/controller/controller.js';
import type { Logger } from '../../../runtime/logger.js';
import { DONE } from '../../../runtime/controller/result.js';
import { NOT_RUN_HERE, unmanagedStatus } from './rollout.js';
import type { Deployment } from '../workload.js';

interface UnmanagedDeploymentsOptions {
  readonly client: KubeClient;
  readonly openCache: (options: CacheOptions<Deployment>) => Cache<Deployment>;
  /** Selects the Deployments that are not run. */
  readonly selector: string;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fieldManager: string;
}

/**
 * Reports on Deployments of others that they are not run: in the status and by an Event, once for each
 * generation. A status that another client wrote for the generation is not changed.
 */
export class UnmanagedDeployments {
  readonly #options: UnmanagedDeploymentsOptions;
  readonly #cache: Cache<Deployment>;
  readonly #controller: Controller;

  constructor(options: UnmanagedDeploymentsOptions) {
    const { openCache, selector, clock, log } = options;
    this.#options = options;
    this.#cache = openCache({ type: Deployments, labelSelector: selector });
    this.#controller = createController({
      name: 'local-unmanaged',
      kind: 'Deployment',
      reconciler: {
        reconcile: async (key, { signal }) => {
          await this.#report(key, signal);
          return DONE;
        },
      },
      keys: () => this.#cache.store.keys(),
      clock,
      random: systemRandom,
      log,
    });
    this.#cache.onChange(({ key }) => this.#controller.add(key));
  }

  async start(signal?: AbortSignal): Promise<void> {
    this.#cache.start();
    await this.#cache.whenSynced(signal);
    this.#controller.start();
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await this.#cache.stop();
  }

  async #report(key: string, signal: AbortSignal): Promise<void> {
    const { client, events, clock, fieldManager } = this.#options;
    const deployment = this.#cache.store.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    if ((deployment.status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)) return;
    const status = unmanagedStatus(deployment, clock.now());
    await client.updateStatus(Deployments, { ...deployment, status }, { fieldManager, signal });
    if (deployment.spec?.replicas === 0) return;
    const regarding = { ...deployment, apiVersion: 'apps/v1', kind: Deployments.kind };
    const { reason, message: note } = NOT_RUN_HERE;
    events.record({ regarding, type: 'Warning', reason, action: 'Reconciling', note });
  }
}
