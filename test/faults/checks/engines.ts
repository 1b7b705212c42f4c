import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import type { MultiClusterEngine } from '../../../src/api/generated/multiclusterengine.js';
import { CLEANUP_FINALIZER, EXPIRY_ANNOTATION, INSTALLER_ROLE } from '../../../src/api/names.js';
import { MultiClusterEngines } from '../../../src/api/resources.js';
import { APPLY_ORDER, CATALOGUE } from '../../../src/domain/engine/catalogue.js';
import { at, integerAt, itemsAt, textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { ConfigMaps, Deployments, Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import type { Condition, KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';

/**
 * Sees every write of an engine and of what an engine owns when it is stored, and says at once what may not be:
 * - `ahead`: the engine becomes Ready or Available, or is so while it is uninstalled, or says that it runs a version, and an object
 *   of its rows is not stored, or a Deployment is not available for its generation, or has another version;
 * - `finalizer`: an object of an engine is made before the engine has its finalizer, or is there when it has lost it;
 * - `untrusted`: a certificate is stored to be served, and clients are not told yet to trust it.
 */
export class EngineCheck {
  readonly #server: MemoryServer;
  readonly #violations: (rule: string, detail: string) => void;
  readonly #subscriptions: { end(): void }[];

  constructor(server: MemoryServer, violations: (rule: string, detail: string) => void) {
    this.#server = server;
    this.#violations = violations;
    this.#subscriptions = [
      server.observe(resourceOf(MultiClusterEngines), ({ type, entry, previous }) => {
        const engine = entry.object as unknown as MultiClusterEngine;
        const before = previous?.object as unknown as MultiClusterEngine | undefined;
        if (type === 'put') this.#checkStatus(before, engine);
        const isLast = type === 'remove' || (hasFinalizer(before) && !hasFinalizer(engine));
        if (isLast) this.#checkGone(engine);
      }),
      ...APPLY_ORDER.map((kind) =>
        server.observe(resourceOf(kind), ({ type, entry, previous }) => {
          const object = entry.object as unknown as KubeObject;
          if (type === 'put' && previous === undefined) this.#checkMade(kind, object);
          if (type === 'put' && kind === Secrets) this.#checkTrust(object);
        }),
      ),
    ];
  }

  end(): void {
    for (const one of this.#subscriptions) one.end();
  }

  #checkStatus(before: MultiClusterEngine | undefined, engine: MultiClusterEngine): void {
    const { name, generation = 0 } = engine.metadata;
    for (const type of ['Ready', 'Available']) {
      const now = conditionOf(engine, type);
      const was = conditionOf(before, type);
      if (now?.status !== 'True') continue;
      if ((now.observedGeneration ?? 0) > generation)
        this.#violations('ahead', `${name}: ${type} for generation ${now.observedGeneration} of ${generation}`);
      const isGoing = engine.status?.phase === 'Uninstalling';
      if (was?.status === 'True' && was.observedGeneration === now.observedGeneration && !isGoing) continue;
      this.#checkRows(engine, type);
    }
    const { currentVersion } = engine.status ?? {};
    if (currentVersion === undefined || currentVersion === before?.status?.currentVersion) return;
    for (const object of this.#ownedBy(engine, Deployments)) {
      const version = object.metadata.labels?.['app.kubernetes.io/version'];
      if (version !== currentVersion || !isRolledOut(object))
        this.#violations('ahead', `${name} runs ${currentVersion}, Deployment ${object.metadata.name} has ${version}`);
    }
  }

  /** `condition`: which one has become True. */
  #checkRows(engine: MultiClusterEngine, condition: string): void {
    const { name } = engine.metadata;
    for (const row of engine.status?.components ?? []) {
      if (row.type === 'Disabled') continue;
      const type = APPLY_ORDER.find(({ kind }) => kind === row.kind);
      if (type === undefined) continue;
      const stored = this.#list(type).find(({ metadata }) => metadata.name === row.name);
      if (stored === undefined) this.#violations('ahead', `${name} is ${condition} without ${row.kind} ${row.name}`);
      else if (type === Deployments && condition === 'Ready' && !isRolledOut(stored))
        this.#violations('ahead', `${name} is Ready, and Deployment ${row.name} is not rolled out`);
      else if (type === Deployments && integerAt(stored, 0, 'status', 'availableReplicas') === 0)
        this.#violations('ahead', `${name} is ${condition}, and Deployment ${row.name} has no replica`);
    }
  }

  #checkMade(type: ResourceType, object: KubeObject): void {
    const { name, ownerReferences = [] } = object.metadata;
    for (const { uid, controller } of ownerReferences) {
      const engine = controller === true ? this.#engines().find(({ metadata }) => metadata.uid === uid) : undefined;
      if (engine !== undefined && !hasFinalizer(engine))
        this.#violations('finalizer', `${type.kind} ${name} is made, and ${engine.metadata.name} has no finalizer`);
    }
  }

  #checkGone(engine: MultiClusterEngine): void {
    for (const type of APPLY_ORDER)
      for (const { metadata } of this.#ownedBy(engine, type))
        // By this binding the operator may delete the others: it goes last, by garbage collection.
        if (metadata.name !== INSTALLER_ROLE)
          this.#violations('finalizer', `${engine.metadata.name} may go, and ${type.kind} ${metadata.name} is there`);
  }

  #checkTrust(secret: KubeObject): void {
    const { name, namespace = '' } = secret.metadata;
    if (secret.metadata.annotations?.[EXPIRY_ANNOTATION] === undefined) return;
    const row = CATALOGUE.find(({ servingCertificate }) => servingCertificate?.secret === name)?.servingCertificate;
    if (row === undefined) return;
    const served = Buffer.from(textAt(secret, 'data', 'tls.crt'), 'base64')
      .toString()
      .trim();
    const published = this.#server.store.get(resourceOf(ConfigMaps), `${namespace}/${row.configMap}`)?.object;
    if (!textAt(published, 'data', 'ca.crt').includes(served))
      this.#violations(
        'untrusted',
        `Secret ${namespace}/${name}: its certificate is not in ConfigMap ${row.configMap}`,
      );
  }

  #ownedBy({ metadata: { uid } }: MultiClusterEngine, type: ResourceType): readonly KubeObject[] {
    return this.#list(type).filter(({ metadata }) =>
      metadata.ownerReferences?.some((one) => one.controller === true && one.uid === uid),
    );
  }

  #engines(): readonly MultiClusterEngine[] {
    return this.#list(MultiClusterEngines) as readonly MultiClusterEngine[];
  }

  #list(type: ResourceType): readonly KubeObject[] {
    return this.#server.store.list(resourceOf(type), '').map(({ object }) => object as unknown as KubeObject);
  }
}

function hasFinalizer(engine: MultiClusterEngine | undefined): boolean {
  return engine?.metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
}

function conditionOf(engine: MultiClusterEngine | undefined, type: string): Condition | undefined {
  return engine?.status?.conditions?.find((one) => one.type === type);
}

function isRolledOut(deployment: KubeObject): boolean {
  const wanted = integerAt(deployment, 1, 'spec', 'replicas');
  const isAvailable = itemsAt(deployment, 'status', 'conditions').some(
    (one) => one['type'] === 'Available' && one['status'] === 'True',
  );
  const counts = ['replicas', 'updatedReplicas', 'availableReplicas'].map((name) => at(deployment, 'status', name));
  const isObserved = integerAt(deployment, 0, 'status', 'observedGeneration') === deployment.metadata.generation;
  return isObserved && isAvailable && counts.every((count) => count === wanted);
}
