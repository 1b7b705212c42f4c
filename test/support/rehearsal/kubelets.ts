import { setTimeout as sleep } from 'node:timers/promises';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { isDeployment, type Deployment } from '../hub/deployment.js';
import { startPod, type Pod } from '../hub/pod.js';

/** The program of an image. */
export type Executable = readonly [string, ...string[]];

const LIST = '/apis/apps/v1/deployments';
const POLL_MS = 200;
const GRACE_MS = 60_000;

interface Rollout {
  readonly template: string;
  readonly round: number;
  readonly pods: Pod[];
  /** Of earlier templates. */
  readonly old: Pod[];
}

/**
 * Runs what the pods of all Deployments of a server would run, each from the files of its image, and replaces them as the
 * Deployment controller does: with the strategy Recreate the new ones start when the old ones have ended, else each old one
 * ends when a new one is ready.
 */
export class Kubelets {
  readonly #server: ControlPlane;
  readonly #executableOf: (image: string) => Executable;
  readonly #rollouts = new Map<string, Rollout>();
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #problem: unknown;

  constructor(server: ControlPlane, executableOf: (image: string) => Executable) {
    this.#server = server;
    this.#executableOf = executableOf;
    this.#done = this.#run();
  }

  /** Why the last pass could not start what it had to; undefined where it did. */
  get problem(): unknown {
    return this.#problem;
  }

  /** The Deployments whose pods run, as NAMESPACE/NAME. */
  get deployments(): readonly string[] {
    return [...this.#rollouts.keys()];
  }

  /** Whether all pods of the Deployment run with this image, and are ready. */
  async runs(key: string, image: string): Promise<boolean> {
    const rollout = this.#rollouts.get(key);
    if (rollout === undefined || !rollout.template.includes(JSON.stringify(image))) return false;
    const ready = await Promise.all(rollout.pods.map((pod) => pod.health('/readyz')));
    return ready.length > 0 && ready.every((one) => one !== undefined);
  }

  /** The logs of the pods of a Deployment that run now. */
  logs(key: string): readonly string[] {
    return (this.#rollouts.get(key)?.pods ?? []).map((pod) => pod.log());
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
    await Promise.all(
      [...this.#rollouts.values()].flatMap(({ pods, old }) => [...pods, ...old]).map((pod) => pod.stop(GRACE_MS)),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const { status, body } = await this.#server.call({ path: LIST });
      const items = status === 200 ? (body.items ?? []) : [];
      const found = items.map((item): unknown => ({ ...item, kind: 'Deployment' })).filter(isDeployment);
      const rolled = await Promise.allSettled(found.map((deployment) => this.#roll(deployment)));
      this.#problem = rolled.find((one) => one.status === 'rejected')?.reason;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #roll(deployment: Deployment): Promise<void> {
    const { metadata, spec } = deployment;
    const key = `${metadata.namespace}/${metadata.name}`;
    const template = JSON.stringify(spec.template);
    const before = this.#rollouts.get(key) ?? { template: '', pods: [], old: [], round: 0 };
    const isNew = before.template !== template;
    const rollout: Rollout = isNew
      ? { template, pods: [], old: [...before.old, ...before.pods], round: before.round + 1 }
      : before;
    this.#rollouts.set(key, rollout);
    const { old, pods } = rollout;
    if ('strategy' in spec && JSON.stringify(spec.strategy).includes('"Recreate"'))
      await Promise.all(old.splice(0).map((pod) => pod.stop(GRACE_MS)));
    for (let slot = 0; slot < (spec.replicas ?? 1); slot++) {
      const running = pods[slot];
      if (running?.exit() === undefined && running !== undefined) {
        if ((spec.template.spec.volumes ?? []).length > 0) await running.refresh();
        continue;
      }
      const executable = this.#executableOf(spec.template.spec.containers[0]?.image ?? '');
      const name = `${metadata.name}-${rollout.round}-${slot}`;
      const pod = await startPod(this.#server, deployment, { name, executable });
      pods[slot] = pod;
      if (old.length > 0) {
        await pod.ready();
        await old.shift()?.stop(GRACE_MS);
      }
    }
    await Promise.all(old.splice(0).map((pod) => pod.stop(GRACE_MS)));
  }
}
