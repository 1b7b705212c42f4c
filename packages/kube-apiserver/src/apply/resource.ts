import type { JsonObject } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/** The part of a `Resource` that field ownership depends on. */
export interface FieldsResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly custom: boolean;
  /** The schema of the whole object. */
  readonly schema: Schema;
  readonly subresources: readonly { readonly name: string }[];
}

/**
 * An object cannot be converted to another version, which lacks some of its fields. The API server drops the ownership
 * then instead of failing.
 */
export class ConversionError extends Error {}

/** Prefixes a {@link ConversionError} with the purpose of the conversion. */
export function withConversionContext<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(`${what}: ${error.message}`) : error;
  }
}

/** Another version of a resource, in which managedFields may name their fields. */
export interface OtherVersion {
  readonly schema: Schema;
  /** Converts an object of the request's version to this one, and back. Both throw {@link ConversionError}. */
  readonly convert: (object: JsonObject) => JsonObject;
  readonly restore: (object: JsonObject) => JsonObject;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`, `/, Kind=`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
