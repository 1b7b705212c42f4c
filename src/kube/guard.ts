import type { KubeObject, ObjectName, ResourceType } from '../api/meta.js';

export type WriteVerb = 'create' | 'update' | 'updateStatus' | 'apply' | 'patchMetadata' | 'delete';

/** A write as the guard sees it. */
export interface GuardedWrite {
  readonly verb: WriteVerb;
  readonly type: ResourceType;
  readonly name: ObjectName;
  /** Absent for delete and patchMetadata. */
  readonly object?: KubeObject;
  readonly force?: boolean;
}

/**
 * One row of the table of permitted writes: verb × kind × namespace × owner × precondition.
 * A write passes when one row of its verb and type says so; every other write throws `Guarded` and counts a metric.
 */
export interface GuardRow {
  readonly verbs: readonly WriteVerb[];
  readonly type: ResourceType;
  /** Which namespaces: `''` for cluster-scoped. */
  readonly namespace: (namespace: string) => boolean;
  /** Which names; absent = any. */
  readonly name?: (name: string) => boolean;
  /** The controller owner that the object must carry (create, update, apply); absent = none is asked for. */
  readonly owner?: { readonly group: string; readonly kind: string };
  /** Further rule on the object; the text of a refusal, or undefined. */
  readonly check?: (write: GuardedWrite) => string | undefined;
}
