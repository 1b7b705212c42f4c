import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { DecodedObject, KubeObject } from '@multicluster-engine/values/object';
import type { KindRules } from '@multicluster-engine/values/schema/custom/kindrules';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import type { UserInfo } from './user.js';

/** A resource in one served version: its discovery data, and how its objects are treated. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Name of its collection in the store; all versions of a resource share one (`events` serves both groups). */
  readonly collection: string;
  /** Whether it comes from a CustomResourceDefinition: several responses differ. */
  readonly custom: boolean;
  /** Of the whole object, apiVersion, kind and metadata included. */
  readonly schema: Schema;
  /** Verbs of the main resource, in discovery order; kinds that can only be posted have `create`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly strategy: Strategy;
  /** The field selectors beside metadata.name and metadata.namespace, with the function that reads the field. */
  readonly selectable: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly columns: readonly Column[];
  /** Converts a stored object to this version; needed by `events` only. The caller sets apiVersion. */
  readonly convert?: Conversion;
  /**
   * What readers see of an object where that is less than what is stored. Changes start from the whole object.
   * Idempotent.
   */
  readonly visible?: (object: KubeObject) => KubeObject;
  /** Responds to a POST without storing anything: reviews. */
  readonly review?: (object: KubeObject, user: UserInfo) => KubeObject;
  /**
   * Decodes the object of a custom resource (keeps nulls where it is `applied`); built-in kinds are decoded by their
   * structs.
   */
  readonly decode?: (value: JsonObject, applied: boolean) => DecodedObject;
  /**
   * The schema of the same kind in another version of the definition, served or not: managedFields may name fields in
   * it.
   */
  readonly schemaIn?: (apiVersion: string) => Schema | undefined;
  /** The deprecation warning of this version. */
  readonly deprecation?: string;
  /** While true, every create is refused (the CustomResourceDefinition is being deleted). */
  readonly terminating?: boolean;
  /** The storage version, where it is another one: discovery shows a hash of it. */
  readonly storageVersion?: string;
}

export interface Conversion {
  readonly fromStored: (object: KubeObject) => KubeObject;
  readonly toStored: (object: KubeObject) => KubeObject;
  /** Records that `fromStored` returns this stored object unchanged. */
  readonly trust?: (stored: KubeObject) => void;
}

export interface Subresource {
  /** `status`, `token`, `finalize`. */
  readonly name: string;
  /** Kind and group-version where they differ from the resource's own. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  /** Whether a kubelet or a scheduler serves it (log, exec, binding, …): see `http/pods`. */
  readonly connects?: true;
  /**
   * Of a subresource with a kind of its own (Scale): how it is read from the object, and how a change is written back.
   */
  readonly view?: SubresourceView;
}

/** The subresource of a name; undefined where the resource has none, and for `''`, the resource itself. */
export function subresourceOf<T extends Pick<Subresource, 'name'>>(
  { subresources }: { readonly subresources: readonly T[] },
  name: string,
): T | undefined {
  return subresources.find((one) => one.name === name);
}

export interface SubresourceView {
  /** Of the whole view, apiVersion, kind and metadata included. */
  readonly schema: Schema;
  /** Path of the replica count in the object; in the view it is spec.replicas. */
  readonly replicas: readonly string[];
  readonly read: (object: KubeObject) => KubeObject;
  /** What a GET returns, where that is not `read`. Throws for an object that has no such view. */
  readonly get?: (object: KubeObject) => KubeObject;
  /** What a change starts from, where that is not `read`. */
  readonly draft?: (object: KubeObject) => KubeObject;
  /** The object with the view's values written into it. */
  readonly write: (object: KubeObject, view: KubeObject) => KubeObject;
  readonly validate: (view: KubeObject) => readonly FieldError[];
  readonly columns: readonly Column[];
}

/**
 * The behaviour of a kind beyond its schema. All functions are pure; the verbs call `default`, then `prepare…`, then
 * `validate…`. The `validate…` of custom resources include schema validation and CEL rules.
 */
export interface Strategy extends KindRules {
  /** Whether the kind's `validate…` check metadata themselves; otherwise the caller checks it first. */
  readonly checksMetadata?: boolean;
  /** Whether a PUT without resourceVersion overwrites (built-ins) or is refused (custom resources). */
  readonly unconditionalUpdate: boolean;
  /** Whether a PUT of a missing object creates it (Lease, Node and few others). */
  readonly createOnUpdate: boolean;
  /**
   * Of a kind that is deleted gracefully: the seconds that its deletion is delayed for, by the request or by the object;
   * 0 deletes it at once. Other kinds have no grace period.
   */
  readonly gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
}

/** A Table column between Name and the last one; Age is included where it is shown. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority: number;
  /** The cell; null where the object has no value. `now` in ms since the epoch, for ages. */
  readonly cell: (object: KubeObject, now: number) => Json;
}

/** The served resources; replaced as a whole when a CustomResourceDefinition changes. */
export interface Registry {
  find(group: string, version: string, plural: string): Resource | undefined;
  /** By kind, for owner references and reviews. */
  findKind(group: string, version: string, kind: string): Resource | undefined;
  all(): readonly Resource[];
  /** Whether a group or one of its versions is built in: unknown paths below it get other responses. */
  isBuiltinGroup(group: string): boolean;
  /** Rises with every change of the served resources. */
  readonly generation: number;
}
