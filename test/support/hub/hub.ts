import path from 'node:path';

import type { MultiClusterEngine } from '../../../src/api/generated/multiclusterengine.js';
import type { Condition } from '../../../src/runtime/vocabulary/meta.js';
import { ALLOW_DELETION_ANNOTATION } from '../../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { WRITES, type LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../repository/root.js';
import { waitFor, type WaitOptions } from '@multicluster-engine/kube-apiserver/testing/wait';
import { runComponents, type Components } from './components.js';
import { deploy, startOperator } from './operator.js';
import type { Pod } from './pod.js';

const ENGINES = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
const OURS = /^system:serviceaccount:.+:(multicluster-engine-operator|placement-controller)$/;

/** Two nodes, `deploy/overlays/default`, the operator, and the programs of its Deployments, as `make run` starts them. */
export class Hub {
  readonly server: ControlPlane;
  readonly components: Components;
  #operator: Pod;

  private constructor(server: ControlPlane, operator: Pod) {
    this.server = server;
    this.#operator = operator;
    this.components = runComponents(server);
  }

  static async open(server: ControlPlane): Promise<Hub> {
    for (const zone of ['a', 'b'])
      await server.addNode({ name: `node-${zone}`, labels: { 'topology.kubernetes.io/zone': zone } });
    await deploy(server);
    const operator = await startOperator(server);
    await operator.ready({ deadlineMs: 120_000 });
    return new Hub(server, operator);
  }

  get operator(): Pod {
    return this.#operator;
  }

  /** Ends the operator as a kubelet does and starts it again, as the same pod. */
  async restartOperator(): Promise<void> {
    await this.#operator.stop();
    this.#operator = await startOperator(this.server);
    await this.#operator.ready({ deadlineMs: 120_000 });
  }

  /** The one process of the placement controller, once it is ready. */
  async placementController(namespace: string): Promise<Pod> {
    const pod = await waitFor(
      'the placement controller to run',
      () => this.components.pods(namespace, 'placement-controller')[0],
    );
    await pod.ready({ deadlineMs: 120_000 });
    return pod;
  }

  /** kubectl as administrator, in the package's root folder; returns stdout, throws when the exit code is not 0. */
  kubectl(...args: readonly string[]): Promise<string> {
    return kubectlOk(args.map(inRoot), { kubeconfig: this.server.adminKubeconfig });
  }

  /** `kubectl apply` of objects. */
  async apply(...objects: readonly AnyObject[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    await kubectlOk(['apply', '-f', '-'], { kubeconfig: this.server.adminKubeconfig, input });
  }

  /** GET of a path; undefined where it answers 404. */
  async get(uri: string): Promise<AnyObject | undefined> {
    const { status, body, text } = await this.server.call({ path: uri });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`GET ${uri}: ${status} ${text}`);
    return body;
  }

  /** JSON merge patch; throws where it is refused. */
  async patch(uri: string, body: unknown): Promise<void> {
    const answer = await this.server.call({
      method: 'PATCH',
      path: uri,
      body,
      contentType: 'application/merge-patch+json',
    });
    if (answer.status !== 200) throw new Error(`PATCH ${uri}: ${answer.status} ${answer.text}`);
  }

  /** DELETE in the background, with the annotation that lets a protected object go; throws where it is refused. */
  async remove(uri: string): Promise<void> {
    const first = await this.server.call({ method: 'DELETE', path: uri });
    if (first.status < 300) return;
    if (first.text.includes(ALLOW_DELETION_ANNOTATION))
      await this.patch(uri, { metadata: { annotations: { [ALLOW_DELETION_ANNOTATION]: 'true' } } });
    const answer = await this.server.call({ method: 'DELETE', path: uri });
    if (answer.status >= 300) throw new Error(`DELETE ${uri}: ${answer.status} ${answer.text}`);
  }

  async patchEngine(body: unknown, name = 'engine'): Promise<void> {
    await this.patch(`${ENGINES}/${name}`, body);
  }

  /** Waits until the engine, its status and spec, passes. */
  engine(
    what: string,
    passes: (engine: MultiClusterEngine) => boolean,
    options: WaitOptions & { readonly name?: string } = {},
  ): Promise<MultiClusterEngine> {
    const { name = 'engine' } = options;
    return waitFor(
      `engine ${name} ${what}`,
      async (seen) => {
        const { status, text } = await this.server.call({ path: `${ENGINES}/${name}` });
        if (status !== 200) return undefined;
        const engine: MultiClusterEngine = JSON.parse(text);
        seen(JSON.stringify(engine.status, undefined, 1));
        return passes(engine) ? engine : undefined;
      },
      options,
    );
  }

  /** Waits until the engine is Available at its current generation. */
  available(options: WaitOptions & { readonly name?: string } = {}): Promise<MultiClusterEngine> {
    return this.engine('to be available', (one) => isCurrent(one) && one.status?.phase === 'Available', {
      deadlineMs: 120_000,
      ...options,
    });
  }

  /** Waits until Ready has this reason, and returns the condition. */
  async reason(reason: string, options: WaitOptions & { readonly name?: string } = {}): Promise<Condition> {
    const ready = readyOf(await this.engine(`to be ${reason}`, (one) => readyOf(one)?.reason === reason, options));
    if (ready === undefined) throw new Error('an engine without condition Ready');
    return ready;
  }

  /** Writes of the operator and the placement controller after a mark, refused ones too, lease renewals apart. */
  async writes(after: number, user: string | RegExp = OURS): Promise<LoggedRequest[]> {
    const log = await this.server.requestLog({ after, user, verbs: WRITES });
    return log.filter(({ resource }) => resource !== 'leases' && resource !== 'selfsubjectaccessreviews');
  }

  /** Waits until no process of the product has written anything for `quietMs`. */
  async settled(quietMs = 2000): Promise<void> {
    let last = -1;
    let since = 0;
    await waitFor(
      'the writes to end',
      async (seen) => {
        const writes = await this.writes(0);
        seen(writes.slice(-5).map(inWords));
        if (writes.length !== last) since = performance.now();
        last = writes.length;
        return performance.now() - since >= quietMs;
      },
      { deadlineMs: 120_000, everyMs: 100 },
    );
  }

  async stop(): Promise<void> {
    await this.components.stop();
    await this.#operator.stop();
  }
}

/** `patch deployments multicluster-engine/placement-controller`. */
export function inWords({ verb, resource, subresource, namespace, name }: LoggedRequest): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return `${verb} ${what} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

export function readyOf({ status }: MultiClusterEngine): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

export function isCurrent({ metadata, status }: MultiClusterEngine): boolean {
  return status?.observedGeneration === metadata.generation;
}

// Files are named as the README names them.
function inRoot(argument: string): string {
  return /^(examples|deploy)\//.test(argument) ? path.join(root, argument) : argument;
}
