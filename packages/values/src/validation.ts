/**
 * Validates custom resources as the API server does, schema, metadata and CEL rules, by a CustomResourceDefinition: so a program
 * can check manifests without a server.
 */
import type { Json, JsonObject } from './json.js';
import { withMeta, withoutSystemFields, type DecodedObject, type KubeObject } from './object.js';
import { readDefinition, type Definition, type DefinitionVersion } from './schema/custom/definition.js';
import { decodeCustom } from './schema/custom/decode.js';
import { fillDefaults } from './schema/custom/defaults.js';
import { kindRules, withObjectFields, type RulesOf } from './schema/custom/kindrules.js';
import type { FieldError } from './schema/fielderror.js';
import type { Schema } from './schema/schema.js';

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

/** The kinds of a definition, one for each served version. The definition must be valid. `rulesOf`: the CEL rules of a schema. */
export function customKinds(definition: KubeObject, rulesOf: RulesOf): readonly CustomKind[] {
  const read = readDefinition(definition);
  return read.versions.filter(({ served }) => served).map((version) => kindOf(read, version, rulesOf));
}

function kindOf(definition: Definition, version: DefinitionVersion, rulesOf: RulesOf): CustomKind {
  const { group, names, namespaced } = definition;
  const schema = withObjectFields(version.schema);
  const rules = kindRules(definition, version, rulesOf);
  const decode = (object: JsonObject): DecodedObject => {
    const decoded = decodeCustom(version.schema, object);
    return 'problem' in decoded ? decoded : { ...decoded, object: inScope(decoded.object, namespaced) };
  };
  return {
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    schema,
    check(object, old) {
      const next = decode(object);
      if ('problem' in next) return { unknown: [], errors: [undecodable(next.problem)] };
      const stored = old === undefined ? undefined : decode(old);
      const { errors } =
        stored === undefined || 'problem' in stored
          ? rules.validateCreate(rules.prepareCreate(withoutSystemFields(next.object)))
          : rules.validateUpdate(rules.prepareUpdate(next.object, stored.object, undefined), stored.object, undefined);
      return { unknown: [...next.unknownMeta, ...next.unknown], errors };
    },
    withDefaults: (object) => fillDefaults(schema, object),
  };
}

function inScope(object: KubeObject, namespaced: boolean): KubeObject {
  const { namespace = 'default' } = object.metadata;
  return withMeta(object, { namespace: namespaced ? namespace : undefined });
}

function undecodable(message: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field: '', message };
}
