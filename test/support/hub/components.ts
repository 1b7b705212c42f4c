import { setTimeout as sleep } from 'node:timers/promises';

import { ENGINE_LABEL } from '../../../src/api/names.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { isDeployment, type Deployment } from './deployment.js';
import { startPod, type Pod, type PodOptions } from './pod.js';

export interface ComponentOptions extends Omit<PodOptions, 'name' | 'flags'> {
  /** Processes per Deployment, at most its replicas; 1 when left out. */
  readonly processes?: number;
  /** Called with one line for each start, end and failure. */
  readonly report?: (line: string) => void;
}

/** What the pods of an engine's Deployments would run. */
export interface Components {
  /** The processes of one Deployment that run now, oldest first. */
  pods(namespace: string, deployment: string): readonly Pod[];
  stop(): Promise<void>;
}

const RETRY_MS = 1000;
/** More than any of them takes to end in order. */
const GRACE_MS = 60_000;
/** The environment variable with the address that a component serves at. */
const SERVING = 'MULTICLUSTER_ENGINE_LISTEN';
const LIST = `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent(ENGINE_LABEL)}`;

/**
 * Runs, for each Deployment that carries an engine's label, what its pods would run: started when it appears,
 * replaced when its pod template changes, started again a second after a crash, stopped when it is being deleted.
 */
export function runComponents(server: ControlPlane, options: ComponentOptions = {}): Components {
  const runner = new Runner(server, options);
  const done = runner.run();
  return {
    pods: (namespace, deployment) => runner.pods(`${namespace}/${deployment}`),
    async stop() {
      runner.stop();
      await done;
    },
  };
}

interface Running {
  readonly template: string;
  readonly pods: Map<string, Pod>;
  readonly round: number;
}

class Runner {
  readonly #server: ControlPlane;
  readonly #options: ComponentOptions;
  readonly #running = new Map<string, Running>();
  readonly #end = new AbortController();
  #round = 0;
  #wake: () => void = () => undefined;

  constructor(server: ControlPlane, options: ComponentOptions) {
    this.#server = server;
    this.#options = options;
  }

  pods(key: string): readonly Pod[] {
    return [...(this.#running.get(key)?.pods.values() ?? [])].filter((pod) => pod.exit() === undefined);
  }

  stop(): void {
    this.#end.abort();
    this.#wake();
  }

  /** Compares at each watch event and each second, so that a lost watch or a failed start only delays. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    const watching = this.#watch(signal);
    while (!signal.aborted) {
      const pause = new AbortController();
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      await this.#sync().catch((error: unknown) => this.#say(`components: ${String(error)}`));
      await Promise.race([woken, sleep(RETRY_MS, undefined, { signal: pause.signal })]);
      pause.abort();
    }
    await watching;
    await this.#keepOnly(new Map());
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#server.stream(`${LIST}&watch=true`, () => this.#wake(), signal).catch(() => undefined);
      if (!signal.aborted) await sleep(RETRY_MS / 5, undefined, { signal }).catch(() => undefined);
    }
  }

  async #sync(): Promise<void> {
    const { status, body } = await this.#server.call({ path: LIST });
    if (status !== 200) return;
    const wanted = new Map<string, Deployment>();
    for (const item of body.items ?? []) {
      const deployment: unknown = { ...item, kind: 'Deployment' };
      if (!isDeployment(deployment) || deployment.metadata.deletionTimestamp !== undefined) continue;
      wanted.set(`${deployment.metadata.namespace}/${deployment.metadata.name}`, deployment);
    }
    await this.#keepOnly(wanted);
    // What one of them lacks does not hold up the others.
    for (const [key, deployment] of wanted)
      await this.#bring(key, deployment).catch((error: unknown) => this.#say(`${key}: ${String(error)}`));
  }

  /** Stops what is not wanted any more, or not as it is. */
  async #keepOnly(wanted: ReadonlyMap<string, Deployment>): Promise<void> {
    for (const [key, { template, pods }] of this.#running) {
      const deployment = wanted.get(key);
      if (deployment !== undefined && templateOf(deployment) === template) continue;
      this.#running.delete(key);
      for (const pod of pods.values()) this.#say(`${key}: stopping ${pod.name}`);
      await Promise.all([...pods.values()].map((pod) => pod.stop(GRACE_MS)));
    }
  }

  async #bring(key: string, deployment: Deployment): Promise<void> {
    const running = this.#running.get(key) ?? {
      template: templateOf(deployment),
      pods: new Map<string, Pod>(),
      round: (this.#round += 1),
    };
    this.#running.set(key, running);
    const count = Math.min(this.#options.processes ?? 1, deployment.spec.replicas ?? 1);
    const surplus = [...running.pods.values()].slice(count);
    for (const pod of surplus) running.pods.delete(pod.name);
    await Promise.all(surplus.map((pod) => pod.stop(GRACE_MS)));
    for (let slot = 0; slot < count; slot++) {
      // As in a cluster: a new template gets a new pod name, a crashed container restarts under the same one.
      const name = `${deployment.metadata.name}-${running.round}-${slot}`;
      const before = running.pods.get(name);
      if (before !== undefined && before.exit() === undefined) {
        if ((deployment.spec.template.spec.volumes ?? []).length > 0) await before.refresh();
        continue;
      }
      if (before !== undefined) this.#say(`${key}: ${name} ended, log in ${before.logFile}`);
      const pod = await startPod(this.#server, deployment, { ...this.#options, name });
      running.pods.set(name, pod);
      const address = pod.addresses[SERVING];
      this.#say(`${key}: started ${name}${address === undefined ? '' : `, which listens at https://${address}`}`);
    }
  }

  #say(line: string): void {
    this.#options.report?.(line);
  }
}

function templateOf(deployment: Deployment): string {
  return JSON.stringify([deployment.metadata.uid, deployment.spec.template]);
}
