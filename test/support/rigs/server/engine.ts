import type { MultiClusterEngine, MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import type { Condition, KubeObject, ObjectName, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../../../../src/api/names.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import { Deployments } from '../../../../src/runtime/vocabulary/kinds.js';
import { hubApi } from '../../../../src/operator/engine.js';
import { createEngineController } from '../../../../src/operator/controllers/engine/controller.js';
import { engineRights } from '../../../../src/operator/controllers/engine/rights.js';
import { CATALOGUE, targetTypes } from '../../../../src/domain/engine/catalogue.js';
import type { EngineSettings } from '../../../../src/domain/engine/manifest/desired.js';
import { integerAt } from '../../../../src/domain/engine/manifest/manifest.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import { issueServingCertificate } from '../../../../src/runtime/tls/serving.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { deployment, settings, specErrors, templates } from '../../builders/engine.js';
import { againOnConflict } from '../../clients/conflict.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { transportOf } from '../../clients/transport.js';
import { GroupRig, writesOf } from './group.js';

const AGENT = 'engine-under-test';
/** Retries, and checks of a missing right, are up to 30 s apart. */
const LONGEST_WAIT_MS = 180_000;

/** The engine group as the operator runs it, without its lease, under the operator's own ServiceAccount. */
export class OperatorRig extends GroupRig {
  private constructor(kubeconfig: string, over: Partial<EngineSettings>) {
    super(kubeconfig, { userAgent: AGENT });
    const { onlyNamespace } = over;
    const { controller, sources, onStartedLeading } = createEngineController({
      client: this.guarded(engineRights(targetTypes(templates), onlyNamespace)),
      openCache: (options) => createCache(this.transport, options, this.tools()),
      templates,
      specErrors,
      settings: { ...settings, ...over },
      hub: hubApi(this.transport),
      recorder: this.recorder(),
      issueKeyPair: (names, now) => issueServingCertificate({ names, now }),
      ...this.tools(),
      settleWindowMs: 50,
    });
    this.run({ name: 'engine', sources, controllers: [controller], onStartedLeading });
  }

  /** `over`: what flags of the operator set. */
  static async start(server: ControlPlane, over: Partial<EngineSettings> = {}): Promise<OperatorRig> {
    const serviceAccount = { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT };
    return new OperatorRig(await server.kubeconfigFor({ serviceAccount }), over);
  }
}

/** A user of a server of size `api`, and the work of the controllers that such a server lacks. */
export class User {
  readonly client: KubeClient;
  readonly #server: ControlPlane;
  readonly #transport: Transport;

  constructor(server: ControlPlane) {
    this.#server = server;
    this.#transport = transportOf(server.adminKubeconfig, { limits: { default: { qps: 1_000, burst: 1_000 } } });
    this.client = createClient(this.#transport);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async apply(name: string, spec: MultiClusterEngineSpec): Promise<void> {
    await this.client.apply<MultiClusterEngine>(
      MultiClusterEngines,
      { metadata: { name }, spec },
      { ...options, force: false },
    );
  }

  async annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    await againOnConflict(async () => {
      const { uid = '', resourceVersion = '' } = (await this.engine(name))?.metadata ?? {};
      await this.client.patchMetadata(MultiClusterEngines, { name }, { uid, resourceVersion, annotations }, options);
    });
  }

  async remove(name: string): Promise<void> {
    await againOnConflict(async () => {
      const { uid = '', resourceVersion = '' } = (await this.engine(name))?.metadata ?? {};
      await this.client.delete(MultiClusterEngines, { name }, { preconditions: { uid, resourceVersion } });
    });
  }

  engine(name: string): Promise<MultiClusterEngine | undefined> {
    return this.client.get<MultiClusterEngine>(MultiClusterEngines, { name });
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return (await this.engine(name))?.status?.conditions?.find((one) => one.type === type);
  }

  /** Deletes an object as it is stored now, and returns it. */
  async destroy(type: ResourceType, name: ObjectName): Promise<KubeObject> {
    let found: KubeObject | undefined;
    await againOnConflict(async () => {
      found = await this.client.get<KubeObject>(type, name);
      const { uid = '', resourceVersion = '' } = found?.metadata ?? {};
      await this.client.delete(type, name, { preconditions: { uid, resourceVersion } });
    });
    if (found === undefined) throw new Error(`there is no ${type.kind} ${name.name}`);
    return found;
  }

  /** Waits for `phase reason-of-Ready` and for a message of Ready that contains these words (others may be reported before); returns the message. */
  reaches(name: string, state: string, words = ''): Promise<string> {
    const read = async (seen: (value: unknown) => void): Promise<string | undefined> => {
      const status = (await this.engine(name))?.status;
      const ready = status?.conditions?.find((one) => one.type === 'Ready');
      const now = `${status?.phase} ${ready?.reason}`;
      seen(`${now}: ${ready?.message}`);
      return now === state && status?.observedGeneration !== -1 && ready?.message.includes(words) === true
        ? ready.message
        : undefined;
    };
    return waitFor(`engine ${name} to be ${state}: ${words}`, read, { deadlineMs: LONGEST_WAIT_MS });
  }

  /** What the Deployment controller would do: waits until all Deployments are there, and reports all replicas up. */
  async rollOut(namespace: string): Promise<void> {
    await waitFor(`the Deployments in ${namespace}`, () => this.#rolledOut(namespace), { deadlineMs: LONGEST_WAIT_MS });
  }

  /** Rolls out the Deployments, each time they change, until the engine is available. */
  async comesUp(name: string, namespace = name): Promise<void> {
    await waitFor(
      `engine ${name} to be available`,
      async (seen) => {
        if (!(await this.#rolledOut(namespace))) return false;
        const { metadata, status } = (await this.engine(name)) ?? {};
        seen(status);
        return status?.phase === 'Available' && status.observedGeneration === metadata?.generation;
      },
      { deadlineMs: LONGEST_WAIT_MS },
    );
  }

  /** Reports the Deployments that have changed; whether there was none to report and none is missing. */
  async #rolledOut(namespace: string): Promise<boolean> {
    let all = true;
    for (const { name, optional } of CATALOGUE) {
      const stored = await this.client.get<KubeObject>(Deployments, { namespace, name });
      const generation = stored?.metadata.generation ?? 1;
      if (stored !== undefined && integerAt(stored, 0, 'status', 'observedGeneration') === generation) continue;
      if (stored === undefined && optional) continue;
      all = false;
      if (stored === undefined) continue;
      const { status } = deployment({ generation });
      await this.client.updateStatus(Deployments, Object.assign({ ...stored }, { status }), options);
    }
    return all;
  }

  /** What garbage collection does, which does not run here: ends foreground deletions. */
  async collect(namespace: string): Promise<void> {
    for (const { name } of CATALOGUE) {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
      await this.#server.call({
        method: 'PATCH',
        path,
        body: { metadata: { finalizers: null } },
        contentType: 'application/merge-patch+json',
      });
    }
  }

  mark(): Promise<number> {
    return this.#server.logMark();
  }

  /** The operator's writes since `mark`, as `verb resource name code`. */
  async writes(mark: number): Promise<string[]> {
    return writesOf(this.#server, AGENT, mark);
  }

  /** Every kind of request that the operator made since `mark`, as `verb resource code`. */
  async requests(mark: number): Promise<string[]> {
    const log = await this.#server.requestLog({ after: mark });
    // /version, which has no resource, is asked for while there are watches: whether their connections are held.
    const made = log.filter(({ userAgent, resource }) => userAgent.startsWith(AGENT) && resource !== '');
    return [...new Set(made.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`))].sort();
  }
}

const options = { fieldManager: 'user' };

/** The operator's field manager, as in managed fields. */
export const MANAGER = ENGINE_FIELD_MANAGER;
