import type { JsonObject } from '../json.js';
import type { Schema } from '../schema/schema.js';

/** What has to be known of a resource to say who owns which field; every `Resource` is one. */
export interface FieldsResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly custom: boolean;
  /** Of the whole object. */
  readonly schema: Schema;
  readonly subresources: readonly { readonly name: string }[];
}

/** An object has fields that another of its versions does not know. The real server forgets who owns what rather than fail. */
export class ConversionError extends Error {}

/** Says what an object was to be converted for, where it cannot be. */
export function withConversionContext<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(`${what}: ${error.message}`) : error;
  }
}

/** Another version of a resource: owners may have named their fields in it. */
export interface OtherVersion {
  readonly schema: Schema;
  /** An object of the request's version as it is in this one, and back. Throw {@link ConversionError}. */
  readonly convert: (object: JsonObject) => JsonObject;
  readonly restore: (object: JsonObject) => JsonObject;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`, `/, Kind=`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
