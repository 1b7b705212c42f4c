import { isJsonObject, formatValue, type JsonValue, type JsonObject } from './document.js';
import type { StatusCause } from '../../runtime/errors.js';
import { StatusError } from '../statuserror.js';

/**
 * The type of a value in `metadata`, in the words of OpenAPI: a list has `items`, a map `additionalProperties`, a
 * struct `properties`. Null is accepted everywhere and means absent, as at the API server.
 */
type Schema =
  | 'boolean'
  | 'integer'
  | 'object'
  | 'string'
  | 'time'
  | { readonly items: Schema }
  | MapSchema
  | StructSchema;

interface MapSchema {
  readonly additionalProperties: Schema;
}

interface StructSchema {
  readonly properties: Readonly<Record<string, Schema>>;
}

/** ObjectMeta of Kubernetes. A field that is not listed is left to the API server, which may have newer ones. */
const OBJECT_META = {
  properties: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'string',
    resourceVersion: 'string',
    generation: 'integer',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'integer',
    labels: { additionalProperties: 'string' },
    annotations: { additionalProperties: 'string' },
    finalizers: { items: 'string' },
    ownerReferences: {
      items: {
        properties: {
          apiVersion: 'string',
          kind: 'string',
          name: 'string',
          uid: 'string',
          controller: 'boolean',
          blockOwnerDeletion: 'boolean',
        },
      },
    },
    managedFields: {
      items: {
        properties: {
          manager: 'string',
          operation: 'string',
          apiVersion: 'string',
          time: 'time',
          fieldsType: 'string',
          fieldsV1: 'object',
          subresource: 'string',
        },
      },
    },
  },
} as const satisfies Schema;

/** The paths of these fields. */
export const METADATA_FIELDS: readonly string[] = Object.keys(OBJECT_META.properties).map((name) => `metadata.${name}`);

const TYPE_RULES = {
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  object: 'must be an object',
  string: 'must be a string',
  time: 'must be a time such as 2026-01-31T12:00:00Z',
} as const;
/** The hour and the day are checked by {@link isTime}. */
const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
/** A key that a path has after a dot; others are put in brackets. */
const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
const MAX_CAUSES = 32;
const MAX_FIELD_LENGTH = 256;

/**
 * Checks the types of all fields in `metadata`. The API server checks them too, but its error names neither the field
 * nor the value.
 * @throws StatusError `malformed` with each wrong field (at most 32), its value and the rule
 */
export function checkMetadata(metadata: JsonObject): void {
  const causes: StatusCause[] = [];
  for (const cause of typeErrors(metadata, OBJECT_META, 'metadata')) {
    causes.push(cause);
    if (causes.length >= MAX_CAUSES) break;
  }
  if (causes.length === 0) return;
  throw new StatusError('malformed', {
    message: causes.map(({ field, message }) => `${field}: ${message}`).join('; '),
    causes,
  });
}

/** Lazily: the check of a large object ends at the last error that is reported. */
function* typeErrors(value: JsonValue | undefined, schema: Schema, field: string): Generator<StatusCause> {
  if (value === null || value === undefined) return;
  if (typeof schema === 'string') {
    if (!hasType(value, schema)) yield typeError(field, value, TYPE_RULES[schema]);
  } else if ('items' in schema) {
    if (!Array.isArray(value)) yield typeError(field, value, 'must be a list');
    else for (const [index, item] of value.entries()) yield* typeErrors(item, schema.items, `${field}[${index}]`);
  } else if (!isJsonObject(value)) {
    yield typeError(field, value, 'must be an object');
  } else {
    for (const [key, item] of Object.entries(value)) {
      const itemSchema = schemaOf(key, schema);
      if (itemSchema !== undefined) yield* typeErrors(item, itemSchema, childPath(field, key));
    }
  }
}

/** Undefined for a field that is not listed. */
function schemaOf(key: string, schema: MapSchema | StructSchema): Schema | undefined {
  if ('additionalProperties' in schema) return schema.additionalProperties;
  return Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

/** A number of a parsed body is always an integer. */
function hasType(value: JsonValue, type: keyof typeof TYPE_RULES): boolean {
  if (type === 'object') return isJsonObject(value);
  if (type === 'time') return typeof value === 'string' && isTime(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

/** Whether Go reads it as RFC 3339: `Date.parse` alone accepts February 30 and the hour 24. */
function isTime(text: string): boolean {
  const [, year, month, day, hour] = TIME.exec(text) ?? [];
  if (day === undefined || Number(hour) > 23 || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
}

function typeError(field: string, value: JsonValue, rule: string): StatusCause {
  return {
    field: field.slice(0, MAX_FIELD_LENGTH),
    reason: 'FieldValueTypeInvalid',
    message: `${formatValue(value)}: ${rule}`,
  };
}

function childPath(field: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${field}.${key}` : `${field}[${key}]`;
}
