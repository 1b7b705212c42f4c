import type { Json, JsonObject } from './json.js';
import type { KubeObject } from './object.js';
import type { Schema } from './schema/schema.js';
import type { FieldError } from './status.js';
import type { UserInfo } from './user.js';

/** A resource as it is served in one version: what discovery tells of it, and how its objects are treated. */
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
  /** Name of its collection in the store; the versions of a resource share one (`events` serves both groups). */
  readonly collection: string;
  /** Whether it comes from a CustomResourceDefinition: several answers differ (apiserver-facts). */
  readonly custom: boolean;
  /** Of the whole object, apiVersion, kind and metadata included. */
  readonly schema: Schema;
  /** Verbs of the main resource, in the order in which discovery tells them; kinds that are only posted have `create`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly strategy: Strategy;
  /** Fields that a field selector may name beside metadata.name and metadata.namespace, with their value of an object. */
  readonly selectable: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly columns: readonly Column[];
  /** Turns a stored object into this version; identity for all but `events`. apiVersion is set by the caller. */
  readonly convert?: Conversion;
  /** What readers see of an object, where that is less than what is stored: changes begin with all of it. Idempotent. */
  readonly visible?: (object: KubeObject) => KubeObject;
  /** Answers a POST without storing anything: reviews. */
  readonly review?: (object: KubeObject, user: UserInfo) => KubeObject;
  /** Reads what a client sent as an object of a custom resource (nulls stay where it is `applied`); built-in kinds are read by their structs. */
  readonly decode?: (value: JsonObject, applied: boolean) => DecodedObject;
  /** The schema of the same kind in another version of a definition, served or not: owners of fields may have named them in it. */
  readonly schemaIn?: (apiVersion: string) => Schema | undefined;
  /** A text that everybody who uses this version is warned with. */
  readonly deprecation?: string;
  /** While true every write of a new object is refused (a CRD that is being deleted). */
  readonly terminating?: boolean;
  /** The version in which objects are stored, where it is another one: discovery tells a hash of it. */
  readonly storageVersion?: string;
}

/** An object with the paths of fields that it may not have, which are gone; or why it is none, in the words of Go's decoder. */
export type DecodedObject =
  | {
      readonly object: KubeObject;
      /** Those of metadata, which every kind has in common. */
      readonly unknownMeta: readonly string[];
      /** All others. */
      readonly unknown: readonly string[];
    }
  | { readonly problem: string };

export interface Conversion {
  readonly fromStored: (object: KubeObject) => KubeObject;
  readonly toStored: (object: KubeObject) => KubeObject;
  /** Says of an object that was just stored that `fromStored` gives it back as it is. */
  readonly trust?: (stored: KubeObject) => void;
}

export interface Subresource {
  /** `status`, `token`, `finalize`. */
  readonly name: string;
  /** Kind and group-version where they are not the resource's own. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  /** Whether it leads on to what runs in the object: its output, a shell, its ports. Nothing runs here, so it is there of no object. */
  readonly leadsOn?: true;
  /** Of one that is a kind of its own (Scale): how it is read from the object, and what a change of it makes of the object. */
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
  /** Keys of the number of replicas in the object; in the view it is spec.replicas. */
  readonly replicas: readonly string[];
  readonly read: (object: KubeObject) => KubeObject;
  /** What a GET answers, where that is not `read`. Throws for an object that has nothing to show. */
  readonly get?: (object: KubeObject) => KubeObject;
  /** What a change begins with, where that is not `read`. */
  readonly draft?: (object: KubeObject) => KubeObject;
  /** The object with what the view says. */
  readonly write: (object: KubeObject, view: KubeObject) => KubeObject;
  readonly validate: (view: KubeObject) => readonly FieldError[];
  readonly columns: readonly Column[];
}

/**
 * What a kind does beyond its schema. All pure; the verbs call them in this order: `default`, then `prepare…`, then
 * `validate…`. Schema validation of custom resources, CEL included, is done by their `validate…`.
 */
export interface Strategy {
  /** Fills defaults; runs on every decoded object and on the result of every patch. */
  readonly default: (object: KubeObject) => KubeObject;
  /** The stored form of a new object: status dropped where it is a subresource, generation set (or kept, facts (j)). */
  readonly prepareCreate: (object: KubeObject) => KubeObject;
  /** The stored form of a change; `status` says that it came by the status subresource. Sets generation. */
  readonly prepareUpdate: (next: KubeObject, old: KubeObject, subresource: string | undefined) => KubeObject;
  readonly validateCreate: (object: KubeObject) => Findings;
  readonly validateUpdate: (next: KubeObject, old: KubeObject, subresource: string | undefined) => Findings;
  /** Rule of metadata.name; undefined when the name is fine, else what is wrong with it (several in order). */
  readonly validateName: (name: string) => readonly string[];
  /** Whether the kind's `validate…` check metadata themselves; else whoever calls them does, before them. */
  readonly checksMetadata?: boolean;
  /** Whether a PUT without resourceVersion overwrites (built-ins) or is refused (custom resources). */
  readonly unconditionalUpdate: boolean;
  /** Whether a PUT of a name that does not exist creates it (Lease, Node and few others). */
  readonly createOnUpdate: boolean;
}

/** What validation found. Warnings are sent as they are, in `Warning` headers. */
export interface Findings {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
  /** Where the kind repeats checks of metadata, of what changes or of all of it: before the error of that index. */
  readonly metadata?: { readonly repeated: 'update' | 'all'; readonly at: number };
}

/** A column of a Table between Name and the end, Age included where it is shown. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; above: only with -o wide. */
  readonly priority: number;
  /** The cell; null when the object has nothing there. `now` in ms since the epoch, for ages. */
  readonly cell: (object: KubeObject, now: number) => Json;
}

/** What is served now; replaced as a whole when a CRD changes. */
export interface Registry {
  find(group: string, version: string, plural: string): Resource | undefined;
  /** By kind, for owner references and reviews. */
  findKind(group: string, version: string, kind: string): Resource | undefined;
  all(): readonly Resource[];
  /** Whether a group or a version of it is built in: unknown paths below them are answered differently (facts (e)). */
  isBuiltinGroup(group: string): boolean;
  /** Rises with every change of what is served. */
  readonly generation: number;
}
