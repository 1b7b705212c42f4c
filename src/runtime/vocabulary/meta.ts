/** Shapes that every Kubernetes object shares; only the fields that this project reads or writes. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object as the API or a file has it, unchecked. */
export type RawObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/**
 * An object of a built-in kind as the API server has it, by the type that client-node generates for it, such as `V1Lease`: that has
 * a Date for each time, and no field that is required.
 */
export type BuiltIn<T> = KubeObject & Omit<Json<T>, keyof KubeObject>;

type Json<T> = T extends Date ? string : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> } : T;

/** The address of an object: no namespace for a cluster-scoped one. */
export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** One kind of object as the API serves it. `group` is empty for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition in the status of an object. Times are RFC 3339, seconds, UTC. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  lastTransitionTime: string;
  lastUpdateTime: string;
  observedGeneration: number;
}

/** Later times, in ms since the epoch, have no text in the format of Kubernetes. */
export const LAST_TIME = Date.UTC(9999, 11, 31);

/** `ms` since the epoch in the format of Kubernetes: RFC 3339, whole seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * Whether resourceVersion `a` is older than `b`. Versions of one collection of one server are decimal numbers of any
 * length; any other text and a missing version are incomparable, hence never older.
 */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Whether `a` is `b` or older. */
export function isNotNewer(a: string, b: string): boolean {
  return a === b || isOlder(a, b);
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
