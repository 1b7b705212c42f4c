import { isRecord } from '../../api/json.js';
import { editDistance } from '../../api/editdistance.js';
import { quote } from '../../domain/selectors.js';

/** The structural rules of a CustomResourceDefinition. Its CEL rules are not among them: only the API server checks those. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** `spec.numberOfClusters: "3": must be a whole number`. */
export type Fault = string;

const INT32 = 2 ** 31;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** What the API server refuses in a value. `path`: of the value, for messages. */
export function faultsOf(value: unknown, schema: Schema, path: string): readonly Fault[] {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const isEither = Number.isSafeInteger(value) || typeof value === 'string';
    return isEither ? [] : [fault(path, value, 'must be a whole number or a string')];
  }
  switch (schema.type) {
    case 'object':
      return objectFaults(value, schema, path);
    case 'array':
      return arrayFaults(value, schema, path);
    case 'string':
      return stringFaults(value, schema, path);
    case 'integer':
      return integerFaults(value, schema, path);
    case 'boolean':
      return typeof value === 'boolean' ? [] : [fault(path, value, 'must be true or false')];
    default:
      return [];
  }
}

function objectFaults(value: unknown, schema: Schema, path: string): readonly Fault[] {
  if (!isRecord(value)) return [fault(path, value, 'must be an object')];
  const { properties = {}, additionalProperties, required = [], maxProperties = Infinity } = schema;
  const missing = required
    .filter((key) => (value[key] ?? undefined) === undefined)
    .map((key) => `${childPath(path, key)}: must be set`);
  const count = Object.keys(value).length;
  const many = count > maxProperties ? [`${path}: has ${count} keys, at most ${maxProperties} are allowed`] : [];
  const inner = Object.entries(value).flatMap(([key, item]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (own !== undefined) return item === null ? [] : faultsOf(item, own, childPath(path, key));
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
    return [unknownField(path, key, Object.keys(properties))];
  });
  return [...missing, ...many, ...inner];
}

function unknownField(path: string, key: string, known: readonly string[]): Fault {
  const near = known
    .map((name) => ({ name, distance: editDistance(name.toLowerCase(), key.slice(0, 64).toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)[0];
  const hint = near === undefined ? '' : `: did you mean ${near.name}?`;
  return `unknown field ${JSON.stringify(childPath(path, key))}${hint}`;
}

function arrayFaults(value: unknown, schema: Schema, path: string): readonly Fault[] {
  if (!Array.isArray(value)) return [fault(path, value, 'must be a list')];
  const { items = {}, maxItems = Infinity } = schema;
  const many = value.length > maxItems ? [`${path}: has ${value.length} items, at most ${maxItems} are allowed`] : [];
  const inner = value.flatMap((item: unknown, index) => faultsOf(item, items, `${path}[${index}]`));
  return [...many, ...inner, ...repeated(value, schema, path)];
}

/** The items of a set, and those with the same keys of a map. */
function repeated(items: readonly unknown[], schema: Schema, path: string): readonly Fault[] {
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (type !== 'set' && type !== 'map') return [];
  const identity = (item: unknown): unknown =>
    type === 'set' || !isRecord(item) ? item : keys.map((key) => item[key] ?? schema.items?.properties?.[key]?.default);
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const text = JSON.stringify(identity(item));
    if (seen.has(text)) return [fault(`${path}[${index}]`, item, 'must not be repeated')];
    seen.add(text);
    return [];
  });
}

function stringFaults(value: unknown, schema: Schema, path: string): readonly Fault[] {
  if (typeof value !== 'string') return [fault(path, value, 'must be a string: put it in quotes')];
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const length = Array.from(value).length;
  if (length < minLength) return [fault(path, value, `must have at least ${minLength} characters`)];
  if (length > maxLength) return [fault(path, value, `must have at most ${maxLength} characters`)];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [fault(path, value, `must be one of ${schema.enum.join(', ')}`)];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return [fault(path, value, `must match ${pattern}`)];
  if (format === 'date-time' && (!DATE_TIME.test(value) || Number.isNaN(Date.parse(value))))
    return [fault(path, value, 'must be a time such as 2026-01-31T12:00:00Z')];
  return [];
}

function integerFaults(value: unknown, schema: Schema, path: string): readonly Fault[] {
  if (!Number.isSafeInteger(value)) return [fault(path, value, 'must be a whole number')];
  const number = Number(value);
  const { format } = schema;
  const least = schema.minimum ?? (format === 'int32' ? -INT32 : Number.MIN_SAFE_INTEGER);
  const most = schema.maximum ?? (format === 'int32' ? INT32 - 1 : Number.MAX_SAFE_INTEGER);
  return number >= least && number <= most ? [] : [fault(path, value, `must be from ${least} to ${most}`)];
}

function fault(path: string, value: unknown, rule: string): Fault {
  return `${path}: ${quote(value)}: ${rule}`;
}

function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
