import { isJsonObject, formatValue, type JsonValue, type JsonObject } from './document.js';
import { StatusError, type StatusCause } from '../statuserror.js';

/** The type of a value in `metadata`. Null is accepted everywhere and means absent, as at the API server. */
type Shape =
  | 'boolean'
  | 'integer'
  | 'object'
  | 'string'
  | 'time'
  | { readonly each: Shape }
  | { readonly every: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** ObjectMeta of Kubernetes. A field that is not listed is left to the API server, which may have newer ones. */
const OBJECT_META = {
  fields: {
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
    labels: { every: 'string' },
    annotations: { every: 'string' },
    finalizers: { each: 'string' },
    ownerReferences: {
      each: {
        fields: {
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
      each: {
        fields: {
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
} as const satisfies Shape;

/** The paths of the fields of ObjectMeta. */
export const METADATA_FIELDS: readonly string[] = Object.keys(OBJECT_META.fields).map((name) => `metadata.${name}`);

const TYPE_RULES = {
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  object: 'must be an object',
  string: 'must be a string',
  time: 'must be a time such as 2026-01-31T12:00:00Z',
} as const;
const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
const MAX_CAUSES = 32;
const MAX_FIELD = 256;

/**
 * Checks the types of all fields in `metadata`. The API server checks them too, but its error names neither the field
 * nor the value.
 * @throws StatusError `malformed` with each wrong field (at most 32), its value and the rule
 */
export function checkMetadata(metadata: JsonObject): void {
  const causes: StatusCause[] = [];
  for (const cause of typeErrors(metadata, OBJECT_META, 'metadata')) if (causes.push(cause) >= MAX_CAUSES) break;
  if (causes.length === 0) return;
  throw new StatusError('malformed', {
    message: causes.map(({ field, message }) => `${field}: ${message}`).join('; '),
    causes,
  });
}

function* typeErrors(value: JsonValue | undefined, shape: Shape, field: string): Generator<StatusCause> {
  if (value === null || value === undefined) return;
  if (typeof shape === 'string') {
    if (!hasType(value, shape)) yield typeError(field, value, TYPE_RULES[shape]);
  } else if ('each' in shape) {
    if (!Array.isArray(value)) yield typeError(field, value, 'must be a list');
    else for (const [index, item] of value.entries()) yield* typeErrors(item, shape.each, `${field}[${index}]`);
  } else if (!isJsonObject(value)) {
    yield typeError(field, value, 'must be an object');
  } else {
    for (const [key, item] of Object.entries(value)) {
      const inner = 'every' in shape ? shape.every : Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
      if (inner !== undefined) yield* typeErrors(item, inner, childPath(field, key));
    }
  }
}

function hasType(value: JsonValue, type: keyof typeof TYPE_RULES): boolean {
  if (type === 'object') return isJsonObject(value);
  if (type === 'time') return typeof value === 'string' && isTime(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

/** RFC 3339, as Go reads it: `Date.parse` alone accepts February 30 and the hour 24. */
function isTime(text: string): boolean {
  const [, year, month, day, hour] = TIME.exec(text) ?? [];
  if (day === undefined || Number(hour) > 23 || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
}

function typeError(field: string, value: JsonValue, rule: string): StatusCause {
  return {
    field: field.slice(0, MAX_FIELD),
    reason: 'FieldValueTypeInvalid',
    message: `${formatValue(value)}: ${rule}`,
  };
}

function childPath(field: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${field}.${key}` : `${field}[${key}]`;
}
