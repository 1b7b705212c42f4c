import { startControllers, type Controllers } from '../../../src/controllers/controllers.js';
import type { Json } from '../../../src/json.js';
import type { KubeObject } from '../../../src/object.js';
import { StatusError } from '../../../src/status.js';
import { VerbsFixture, configMap } from '../verbs/fixture.js';

/** More rounds of promises than any chain of the controllers has. */
const QUIET_ROUNDS = 10;

/** The verbs and the controllers on a store in memory, with a clock that stands still. */
export class Cluster extends VerbsFixture {
  readonly errors: string[] = [];
  controllers = this.#start();

  /** Starts the controllers once more, after they were ended. */
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

  /** A namespace with what every namespace has. */
  async readyNamespace(name: string): Promise<void> {
    await this.namespace(name);
    await this.idle();
  }

  /** Waits until nothing is written any more, letting as much time go by as short waits take. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
      const before = this.store.revision;
      await this.settle();
      await this.clock.advance(10);
      if (this.store.revision !== before) quiet = -1;
    }
  }

  /** The object, or undefined when there is none. */
  find(path: string): KubeObject | undefined {
    try {
      return this.get(path);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Makes a ConfigMap in namespace `ns`. */
  configMap(name: string, metadata: { readonly [key: string]: Json } = {}): Promise<KubeObject> {
    return this.create('configmaps/ns', { ...asObject(configMap(name)), metadata: { name, ...metadata } });
  }

  /** Names of the ConfigMaps in `ns` that tests made. */
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
