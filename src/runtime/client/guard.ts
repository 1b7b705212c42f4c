import type { KubeObject, ObjectName, ResourceType } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import type { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { GuardMetrics } from '../metrics/managermetrics.js';
import type { CallOptions, KubeClient } from './client.js';
import { failedCall } from '../transport/apierror.js';
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

interface GuardTools {
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
  /** The options of a permitted write, with the lease check added. Throws for one that is not permitted. */
  const permit = <O extends CallOptions>(write: GuardedWrite, preconditions: RequiredFields, options: O): O => {
    const violation = missingOf(preconditions) ?? violationOf(write, rows);
    if (violation !== undefined) throw notSent(write, 'Guarded', violation, tools);
    const beforeAttempt = (): void => {
      options.beforeAttempt?.();
      if (tools.leadership?.held() === false) throw notSent(write, 'Fenced', 'the lease is not held', tools);
    };
    beforeAttempt();
    return { ...options, beforeAttempt };
  };
  const ofObject = (verb: WriteVerb, type: ResourceType, object: KubeObject, force?: boolean): GuardedWrite => ({
    verb,
    type,
    name: object.metadata,
    object,
    ...(force === undefined ? {} : { force }),
  });
  const versionOf = ({ metadata: { resourceVersion } }: KubeObject): RequiredFields => ({ resourceVersion });
  const uidOf = ({ metadata: { uid } }: KubeObject, force: boolean): RequiredFields => (force ? { uid } : {});
  return {
    get: (type, name, options) => client.get(type, name, options),
    list: (type, namespace, options) => client.list(type, namespace, options),
    // Not guarded: a review stores nothing.
    allowed: (access, signal) => client.allowed(access, signal),
    create: async (type, object, options) =>
      client.create(type, object, permit(ofObject('create', type, object), {}, options)),
    update: async (type, object, options) =>
      client.update(type, object, permit(ofObject('update', type, object), versionOf(object), options)),
    updateStatus: async (type, object, options) =>
      client.updateStatus(type, object, permit(ofObject('updateStatus', type, object), versionOf(object), options)),
    apply: async (type, object, options) => {
      const { force } = options;
      return client.apply(type, object, permit(ofObject('apply', type, object, force), uidOf(object, force), options));
    },
    applyStatus: async (type, object, options) => {
      const { force } = options;
      const write = ofObject('applyStatus', type, object, force);
      return client.applyStatus(type, object, permit(write, uidOf(object, force), options));
    },
    patchMetadata: async (type, name, metadata, options) => {
      const { uid, resourceVersion } = metadata;
      const write: GuardedWrite = { verb: 'patchMetadata', type, name };
      return client.patchMetadata(type, name, metadata, permit(write, { uid, resourceVersion }, options));
    },
    delete: async (type, name, options) => {
      const { uid, resourceVersion } = options.preconditions;
      return client.delete(type, name, permit({ verb: 'delete', type, name }, { uid, resourceVersion }, options));
    },
  };
}

/** The error of a write that is refused; logs and counts one that is a programming error. */
function notSent(
  { verb, type, name }: GuardedWrite,
  kind: 'Guarded' | 'Fenced',
  why: string,
  { log, metrics }: GuardTools,
): ApiError {
  const resource = resourceOf(type);
  const { namespace } = name;
  const call = { verb, resource, name: name.name, ...(namespace === undefined ? {} : { namespace }) };
  if (kind === 'Guarded') {
    metrics?.refused(verb, resource);
    log.error({ verb, resource, name: keyOf(name), why }, 'write not permitted by the write guard');
  }
  return failedCall(kind, call, `not sent: ${why}`);
}

type RequiredFields = Readonly<Record<string, string | undefined>>;

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
