import type { KubeObject, OwnerReference } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { timestamp } from '@multicluster-engine/values/time';
import { targetOf, type Client } from '../client.js';
import type { ControllerOptions } from '../options.js';

const COMPONENT = 'garbage-collector-controller';
const MAX_REPORTED = 1_000;

/** Creates a warning event for an owner that exists, but in another namespace than its dependent. Once per reference. */
export class InvalidNamespaceReporter {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #reported = new Set<string>();

  constructor(options: ControllerOptions, client: Client) {
    this.#options = options;
    this.#client = client;
  }

  /** Reports an absent owner of a namespaced kind where an object of that uid exists in another namespace. */
  check(dependent: KubeObject, reference: OwnerReference, kind: Resource): void {
    const key = `${dependent.metadata.uid} ${reference.uid}`;
    if (!kind.namespaced || this.#reported.has(key)) return;
    const named = this.#options.store
      .list(kind.collection, '')
      .filter((entry) => entry.key.endsWith(`/${reference.name}`));
    if (!named.some(({ object }) => object.metadata.uid === reference.uid)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    this.#report(dependent, reference).catch((error: unknown) => this.#options.onError(key, error));
  }

  async #report(dependent: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): Promise<void> {
    const {
      metadata: { namespace = '', name: dependentName = '', uid: dependentUid = '' },
    } = dependent;
    const now = this.#options.clock.now();
    const time = timestamp(now);
    const eventNamespace = namespace === '' ? 'default' : namespace;
    await this.#client.create(
      targetOf(this.#options.registry, { group: '', plural: 'events', namespace: eventNamespace, name: '' }),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${dependentName}.${(BigInt(now) * 1_000_000n).toString(16)}`, namespace: eventNamespace },
        involvedObject: {
          apiVersion: dependent.apiVersion,
          kind: dependent.kind,
          ...(namespace === '' ? {} : { namespace }),
          name: dependentName,
          uid: dependentUid,
        },
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ${JSON.stringify(namespace)}`,
        source: { component: COMPONENT },
        reportingComponent: COMPONENT,
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      },
    );
  }
}
