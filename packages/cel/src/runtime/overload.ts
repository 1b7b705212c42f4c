import { parameterOf, type CelType } from '../language/celtype.js';
import { EvaluationError, noSuchOverload } from '../language/error.js';
import { List, runtimeType, ValueMap, type Value } from '../language/value.js';

/**
 * Whether a value matches a parameter type. Of lists and maps only the first entry is checked, as in the API server.
 */
export function matchesType(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'param' || type.kind === 'type') return true;
  if (type.kind === 'list')
    return value instanceof List && (value.size === 0 || matchesType(parameterOf(type), value.at(0)));
  if (type.kind === 'map') return value instanceof ValueMap && matchesMapType(type, value);
  const found = runtimeType(value);
  return found.kind === type.kind && ((type.kind !== 'struct' && type.kind !== 'opaque') || found.name === type.name);
}

function matchesMapType(type: CelType, map: ValueMap): boolean {
  if (type.parameters.every(({ kind }) => kind === 'dyn' || kind === 'param')) return true;
  const [key] = map.keys();
  return (
    key === undefined ||
    (matchesType(parameterOf(type), key) && matchesType(parameterOf(type, 1), map.find(key) ?? null))
  );
}

/** Functions whose error has no details: they are dispatched without type checks. */
const PLAIN: ReadonlySet<string> = new Set([
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  '!_',
  '@in',
  '_==_',
  '_!=_',
  '_[_]',
]);

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = [...NUMBERS, 'bool', 'string', 'bytes', 'timestamp', 'duration'];

/** Functions that are dispatched by the trait of the first argument, with the kinds that have it. */
const SUPPORTED_KINDS: Readonly<Record<string, readonly string[]>> = {
  size: ['string', 'bytes', 'list', 'map'],
  sort: ['list'],
  '-_': ['int', 'double'],
  '_+_': [...NUMBERS, 'string', 'bytes', 'list', 'duration', 'timestamp'],
  '_-_': [...NUMBERS, 'duration', 'timestamp'],
  '_*_': NUMBERS,
  '_/_': NUMBERS,
  '_%_': ['int', 'uint'],
  '_<_': ORDERED,
  '_<=_': ORDERED,
  '_>_': ORDERED,
  '_>=_': ORDERED,
};

/** Whether the first argument selects what runs. */
export function isOperator(name: string): boolean {
  return name !== 'sort' && Object.hasOwn(SUPPORTED_KINDS, name);
}

/** Kinds that return the error without details themselves. */
const KINDS_WITH_PLAIN_ERROR = ['string', 'timestamp', 'duration'];

/** The error for arguments that match no overload. */
export function noMatchingOverload(name: string, args: readonly Value[]): EvaluationError {
  const types = args.map((arg) => runtimeType(arg));
  const first = types[0]?.kind ?? '';
  if (name === 'flatten' && args.length === 1)
    return new EvaluationError(`no such overload: ${types[0]?.name ?? ''}.flatten()`);
  const able = Object.hasOwn(SUPPORTED_KINDS, name) ? SUPPORTED_KINDS[name] : undefined;
  if (
    PLAIN.has(name) ||
    able?.includes(first) === true ||
    (able !== undefined && KINDS_WITH_PLAIN_ERROR.includes(first))
  )
    return noSuchOverload();
  return new EvaluationError(
    `no such overload: ${name}${able === undefined ? `(${types.map((type) => type.name).join(', ')})` : ''}`,
  );
}
