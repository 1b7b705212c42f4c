import type { KubeObject, OwnerReference } from '../../object.js';
import type { Resource } from '../../resource.js';
import { timestamp } from '../../time.js';
import { targetOf, type Client } from '../client.js';
import type { ControllerOptions } from '../options.js';

const COMPONENT = 'garbage-collector-controller';
const MAX_REPORTED = 1_000;

/** Tells users of owners that exist, but in a namespace where an owner of that object cannot be. Each once. */
export class InvalidNamespaceReporter {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #told = new Set<string>();

  constructor(options: ControllerOptions, client: Client) {
    this.#options = options;
    this.#client = client;
  }

  /** Looks for an owner, of a kind that is in namespaces, that is not where its dependent needs it. */
  check(dependent: KubeObject, reference: OwnerReference, kind: Resource): void {
    const about = `${dependent.metadata.uid} ${reference.uid}`;
    if (!kind.namespaced || this.#told.has(about)) return;
    const named = this.#options.store.list(kind.collection, '').filter(({ key }) => key.endsWith(`/${reference.name}`));
    if (!named.some(({ object }) => object.metadata.uid === reference.uid)) return;
    if (this.#told.size >= MAX_REPORTED) this.#told.clear();
    this.#told.add(about);
    this.#tell(dependent, reference).catch((error: unknown) => this.#options.onError(about, error));
  }

  async #tell(dependent: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): Promise<void> {
    const {
      metadata: { namespace = '', name: dependentName = '', uid: dependentUid = '' },
    } = dependent;
    const now = this.#options.clock.now();
    const time = timestamp(now);
    const place = namespace === '' ? 'default' : namespace;
    await this.#client.create(
      targetOf(this.#options.registry, { group: '', plural: 'events', namespace: place, name: '' }),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${dependentName}.${(BigInt(now) * 1_000_000n).toString(16)}`, namespace: place },
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
