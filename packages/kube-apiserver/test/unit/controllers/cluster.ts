import { startControllers, type Controllers } from '../../../src/controllers/controllers.js';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../src/status.js';
import { VerbsFixture, configMap } from '../verbs/fixture.js';

/** More rounds of microtasks than any chain of promises in the controllers. */
const QUIET_ROUNDS = 10;

/** The verbs and the controllers over a store in memory, with a manual clock. */
export class Cluster extends VerbsFixture {
  readonly errors: string[] = [];
  controllers = this.#start();

  /** Starts the controllers again after they were stopped. */
  restartControllers(): void {
    this.controllers = this.#start();
  }

  #start(): Controllers {
    return startControllers(
      {
        store: this.store,
        reader: this.reader,
        registry: this.registry,
        verbs: this.verbs,
        clock: this.clock,
        onError: (key, error) => this.errors.push(`${key}: ${error instanceof Error ? error.message : String(error)}`),
      },
      {
        caBundle: 'the bundle',
        issueToken: ({ metadata }, secret) => `token of ${metadata.name ?? ''} (${metadata.uid ?? ''}) in ${secret}`,
      },
    );
  }

  /** Creates a namespace and waits for its default objects. */
  async readyNamespace(name: string): Promise<void> {
    await this.namespace(name);
    await this.idle();
  }

  /** Waits until there are no more writes. Advances the clock in small steps, for requeues with a short delay. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
      const before = this.store.revision;
      await this.settle();
      await this.clock.advance(10);
      if (this.store.revision !== before) quiet = -1;
    }
  }

  /** The object; undefined where there is none. */
  find(path: string): KubeObject | undefined {
    try {
      return this.get(path);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Creates a ConfigMap in namespace `ns`. */
  configMap(name: string, metadata: { readonly [key: string]: Json } = {}): Promise<KubeObject> {
    return this.create('configmaps/ns', { ...asObject(configMap(name)), metadata: { name, ...metadata } });
  }

  /** Names of the ConfigMaps in `ns`, without kube-root-ca.crt. */
  configMapNames(): string[] {
    return this.reader
      .list('configmaps', 'ns')
      .map(({ metadata: { name = '' } }) => name)
      .filter((name) => name !== 'kube-root-ca.crt');
  }
}

export function ownedBy(
  { apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject,
  more: { readonly [key: string]: Json } = {},
): { readonly [key: string]: Json } {
  return { apiVersion, kind, name, uid, ...more };
}

function asObject(value: Json): object {
  return typeof value === 'object' && value !== null ? value : {};
}
