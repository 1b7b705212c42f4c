/**
 * Validates custom resources as the API server does, schema, metadata and CEL rules, by a CustomResourceDefinition. Apart from
 * the server, so that a program can check manifests without one.
 */
import type { Json, JsonObject } from './json.js';
import type { KubeObject } from './object.js';
import { servedResources } from './registry/custom/resource.js';
import type { Resource } from './resource.js';
import { fillDefaults } from './schema/custom/defaults.js';
import type { Schema } from './schema/schema.js';
import type { FieldError } from './status.js';
import { inNamespace, withoutSystemFields } from './verbs/metadata.js';

export type { FieldError, JsonObject, KubeObject, Schema };

/** What the API server says of an object. Nothing: it accepts it. */
export interface Findings {
  /** The fields that strict decoding does not know. */
  readonly unknown: readonly string[];
  readonly errors: readonly FieldError[];
}

/** A kind in one version. */
export interface CustomKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the whole object. */
  readonly schema: Schema;
  /**
   * What a write of `object` would be answered with: a create, or an update of `old`, where values that do not change are
   * not refused. A namespaced object without a namespace is in `default`.
   */
  readonly check: (object: JsonObject, old?: JsonObject) => Findings;
  /** The object with the defaults of its fields. */
  readonly withDefaults: (object: JsonObject) => Json;
}

/** The kinds of a definition, one for each served version. The definition must be valid. */
export function customKinds(definition: KubeObject): readonly CustomKind[] {
  return servedResources(definition).map((resource) => ({
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    schema: resource.schema,
    check: (object, old) => check(resource, object, old),
    withDefaults: (object) => fillDefaults(resource.schema, object),
  }));
}

function check(resource: Resource, object: JsonObject, old: JsonObject | undefined): Findings {
  const { strategy } = resource;
  const next = decoded(resource, object);
  if ('problem' in next) return { unknown: [], errors: [undecodable(next.problem)] };
  const stored = old === undefined ? undefined : decoded(resource, old);
  const unknown = [...next.unknownMeta, ...next.unknown];
  const { errors } =
    stored === undefined || 'problem' in stored
      ? strategy.validateCreate(strategy.prepareCreate(withoutSystemFields(next.object)))
      : strategy.validateUpdate(
          strategy.prepareUpdate(next.object, stored.object, undefined),
          stored.object,
          undefined,
        );
  return { unknown, errors };
}

function decoded({ decode, namespaced }: Resource, object: JsonObject): ReturnType<NonNullable<typeof decode>> {
  const result = decode?.(object, false) ?? { problem: 'not a custom resource' };
  if ('problem' in result) return result;
  const { namespace = 'default' } = result.object.metadata;
  return { ...result, object: inNamespace(result.object, namespaced ? namespace : '') };
}

function undecodable(message: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field: '', message };
}
