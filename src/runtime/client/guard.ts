import type { KubeObject, ObjectName, ResourceType } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { GuardMetrics } from '../metrics/metrics.js';
import type {
  AccessAttributes,
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  MetadataPatch,
  ReadOptions,
  CallOptions,
  WriteOptions,
} from './client.js';
import { describeCall } from '../transport/apierror.js';
import { resourceOf } from './path.js';

export type WriteVerb = 'create' | 'update' | 'updateStatus' | 'apply' | 'applyStatus' | 'patchMetadata' | 'delete';

/** A write that the guard checks. */
export interface GuardedWrite {
  readonly verb: WriteVerb;
  readonly type: ResourceType;
  readonly name: ObjectName;
  /** Absent for delete and patchMetadata. */
  readonly object?: KubeObject;
  readonly force?: boolean;
}

/**
 * One row of the table of permitted writes. A write is sent when a row with its verb and type permits it; any other write
 * throws `Guarded` and counts in a metric.
 */
export interface GuardRow {
  readonly verbs: readonly WriteVerb[];
  readonly type: ResourceType;
  /** Whether the namespace is permitted; `''` for cluster-scoped objects. */
  readonly namespace: (namespace: string) => boolean;
  /** Whether the name is permitted; absent: any. */
  readonly name?: (name: string) => boolean;
  /** The controller owner that the object of a write must have, where the write has one; absent: none is required. */
  readonly owner?: { readonly group: string; readonly kind: string };
  /** A further rule; returns why the write is not permitted, or undefined. */
  readonly check?: (write: GuardedWrite) => string | undefined;
}

export interface GuardTools {
  /** Absent: writes do not depend on leadership. For the Lease itself only. */
  readonly leadership?: Leadership;
  readonly metrics?: GuardMetrics;
  readonly log: Logger;
}

/**
 * A client that sends only writes that a row of `rows` permits, and only while the lease is held.
 *
 * Guarantees: each write has its preconditions (update and status: resourceVersion; metadata and delete: uid and
 * resourceVersion; forced apply: uid); the lease is checked immediately before each attempt, retries included.
 * Writes throw ApiError: Guarded, a programming error, which is counted; Fenced when the lease is not held.
 */
export function guardClient(client: KubeClient, rows: readonly GuardRow[], tools: GuardTools): KubeClient {
  return new GuardedClient(client, rows, tools);
}

class GuardedClient implements KubeClient {
  readonly #client: KubeClient;
  readonly #rows: readonly GuardRow[];
  readonly #tools: GuardTools;

  constructor(client: KubeClient, rows: readonly GuardRow[], tools: GuardTools) {
    this.#client = client;
    this.#rows = rows;
    this.#tools = tools;
  }

  get<T extends KubeObject>(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<T | undefined> {
    return this.#client.get<T>(type, name, options);
  }

  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined, options?: ListOptions): Promise<T[]> {
    return this.#client.list<T>(type, namespace, options);
  }

  /** Not guarded: a review stores nothing. */
  allowed(access: AccessAttributes, signal?: AbortSignal): Promise<boolean> {
    return this.#client.allowed(access, signal);
  }

  async create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    const write: GuardedWrite = { verb: 'create', type, name: object.metadata, object };
    return this.#client.create(type, object, this.#permit(write, {}, options));
  }

  async update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    const write: GuardedWrite = { verb: 'update', type, name: object.metadata, object };
    return this.#client.update(type, object, this.#permit(write, versionOf(object), options));
  }

  async updateStatus<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    const write: GuardedWrite = { verb: 'updateStatus', type, name: object.metadata, object };
    return this.#client.updateStatus(type, object, this.#permit(write, versionOf(object), options));
  }

  async apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    const { force } = options;
    const write: GuardedWrite = { verb: 'apply', type, name: object.metadata, object, force };
    return this.#client.apply(type, object, this.#permit(write, force ? { uid: object.metadata.uid } : {}, options));
  }

  async applyStatus<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    const { force } = options;
    const write: GuardedWrite = { verb: 'applyStatus', type, name: object.metadata, object, force };
    return this.#client.applyStatus(
      type,
      object,
      this.#permit(write, force ? { uid: object.metadata.uid } : {}, options),
    );
  }

  async patchMetadata<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    metadata: MetadataPatch,
    options: WriteOptions,
  ): Promise<T> {
    const { uid, resourceVersion } = metadata;
    const write: GuardedWrite = { verb: 'patchMetadata', type, name };
    return this.#client.patchMetadata<T>(type, name, metadata, this.#permit(write, { uid, resourceVersion }, options));
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<'gone' | 'deleting'> {
    const { uid, resourceVersion } = options.preconditions;
    const write: GuardedWrite = { verb: 'delete', type, name };
    return this.#client.delete(type, name, this.#permit(write, { uid, resourceVersion }, options));
  }

  /** The options of a permitted write, with the lease check added. Throws for one that is not permitted. */
  #permit<O extends CallOptions>(write: GuardedWrite, preconditions: RequiredFields, options: O): O {
    const violation = missingOf(preconditions) ?? violationOf(write, this.#rows);
    if (violation !== undefined) throw this.#refuse(write, 'Guarded', violation);
    const beforeAttempt = (): void => {
      options.beforeAttempt?.();
      if (this.#tools.leadership?.held() === false) throw this.#refuse(write, 'Fenced', 'the lease is not held');
    };
    beforeAttempt();
    return { ...options, beforeAttempt };
  }

  #refuse(write: GuardedWrite, kind: 'Guarded' | 'Fenced', why: string): ApiError {
    const { verb, type, name } = write;
    const resource = resourceOf(type);
    const call = {
      verb,
      resource,
      name: name.name,
      ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
    };
    const message = `${describeCall(call)}: not sent: ${why}`;
    if (kind === 'Guarded') {
      this.#tools.metrics?.refused(verb, resource);
      this.#tools.log.error({ verb, resource, name: keyOf(name), why }, 'write not permitted by the write guard');
    }
    return new ApiError({ kind, message, call });
  }
}

type RequiredFields = Readonly<Record<string, string | undefined>>;

function versionOf(object: KubeObject): RequiredFields {
  return { resourceVersion: object.metadata.resourceVersion };
}

function missingOf(preconditions: RequiredFields): string | undefined {
  for (const [name, value] of Object.entries(preconditions)) {
    if (value === undefined || value === '')
      return `${name} is missing: without it the write could change an object that was not read`;
  }
  return undefined;
}

/** Why no row permits the write; undefined when one does. With several rows, the reason of the last one. */
function violationOf(write: GuardedWrite, rows: readonly GuardRow[]): string | undefined {
  let violation = 'no row of the write guard has this verb and type';
  for (const row of rows) {
    if (!row.verbs.includes(write.verb) || !isSameType(row.type, write.type)) continue;
    const found = rowViolation(write, row);
    if (found === undefined) return undefined;
    violation = found;
  }
  return violation;
}

function rowViolation(write: GuardedWrite, row: GuardRow): string | undefined {
  const { namespace = '', name } = write.name;
  if (!row.namespace(namespace)) return `namespace "${namespace}" is not permitted by the write guard`;
  if (row.name !== undefined && !row.name(name)) return `name "${name}" is not permitted by the write guard`;
  if (row.owner !== undefined && write.object !== undefined && !isOwnedBy(write.object, row.owner)) {
    return `its controller owner is not a ${row.owner.kind} of ${row.owner.group}`;
  }
  return row.check?.(write);
}

function isSameType(a: ResourceType, b: ResourceType): boolean {
  return a.group === b.group && a.plural === b.plural;
}

function isOwnedBy(object: KubeObject, owner: { readonly group: string; readonly kind: string }): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.some(
    (one) => one.controller === true && one.kind === owner.kind && one.apiVersion.startsWith(`${owner.group}/`),
  );
}

/** Leadership of one controller group, held through a coordination.k8s.io Lease. */
export interface Leadership {
  /** Whether writes are allowed now: the Lease is held and the renew deadline has not passed on the monotonic clock. */
  held(): boolean;
  readonly identity: string;
}
