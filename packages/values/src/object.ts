import type { JsonObject, Json } from './json.js';

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

export type ManagedFieldsEntry = {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
};

/** Decoding has checked the types of metadata, so these types hold. */
export type ObjectMeta = {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
};

/** An API object as it was decoded: no field is renamed. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: Json | undefined;
}

const origins = new WeakMap<object, KubeObject>();

/** Ties a derived form to its object: the parsed object stays shared for as long as a derived form is in use. */
export function formOf<T extends object>(origin: KubeObject, form: T): T {
  if (form !== origin) origins.set(form, origin);
  return form;
}

/**
 * A decoded object with the paths of its unknown fields, which are removed; or the decoding error in the words of Go's
 * decoder.
 */
export type DecodedObject =
  | {
      readonly object: KubeObject;
      /** Those of metadata, which all kinds have in common. */
      readonly unknownMeta: readonly string[];
      /** All others. */
      readonly unknown: readonly string[];
    }
  | { readonly problem: string };

type MetaChanges = { readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined } & { readonly selfLink?: undefined };

/** The object with changed metadata; `undefined` removes a key. The same object where there is nothing to remove. */
export function withMeta(object: KubeObject, changes: MetaChanges): KubeObject {
  const before: JsonObject = object.metadata;
  const made = Object.entries(changes);
  if (made.every(([key, value]) => value === undefined && before[key] === undefined)) return object;
  const metadata: JsonObject = { ...before, ...changes };
  const kept: JsonObject = made.some(([, value]) => value === undefined)
    ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined))
    : metadata;
  return { ...object, metadata: kept };
}

/** Removes the fields that a client cannot set on a new object: they are ignored, not refused. */
export function withoutSystemFields(object: KubeObject): KubeObject {
  return withMeta(object, {
    creationTimestamp: undefined,
    uid: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
}
