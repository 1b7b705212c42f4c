import { structFields, type GoType } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { decodeScalar, goTypeOf } from '@multicluster-engine/values/schema/struct/scalar';

/**
 * The error of the API server's unstructured converter when a value does not fit the struct of a built-in definition;
 * undefined when it fits. Results of strategic merge patches and of applies are converted this way. Fields are checked
 * in the order of the struct.
 * @param definition such as `io.k8s.api.core.v1.ConfigMap`.
 */
export function restoreProblem(definition: string, value: Json): string | undefined {
  return problemOf({ shape: 'struct', name: definition, pointer: false }, '', value);
}

function problemOf(type: GoType, goName: string, value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type.shape) {
    case 'struct':
      return isObject(value) ? structProblem(type.name, value) : `cannot restore struct from: ${kindOf(value)}`;
    case 'list':
      return isArray(value)
        ? first(value, (item) => problemOf(type.of, elementOf(goName), item))
        : `cannot restore slice from ${kindOf(value)}`;
    case 'map':
      return isObject(value)
        ? first(Object.values(value), (item) => problemOf(type.of, elementOf(goName), item))
        : `cannot restore map from ${kindOf(value)}`;
    case 'scalar':
      return scalarProblem(type.name, goName, value);
  }
}

function structProblem(definition: string, value: JsonObject): string | undefined {
  return first(structFields(definition), ({ name, type, goName }) => {
    if (name === '' && type.shape === 'struct') return structProblem(type.name, value);
    return Object.hasOwn(value, name) ? problemOf(type, goName, value[name]) : undefined;
  });
}

const INTEGERS: readonly string[] = ['int32', 'int64'];

function scalarProblem(name: string, goName: string, value: Json): string | undefined {
  const type = goTypeOf(name, goName === '' ? name : goName);
  const given = kindOf(value);
  switch (name) {
    case 'string':
      return given === 'string'
        ? undefined
        : given === 'int64'
          ? `cannot convert int64 to ${type}`
          : 'unrecognized type: string';
    case 'bool':
      return given === 'bool' ? undefined : 'unrecognized type: bool';
    case 'float64':
      return given === 'int64' || given === 'float64' ? undefined : 'unrecognized type: float64';
    case 'bytes':
      return bytesProblem(value, given);
    default:
      if (INTEGERS.includes(name))
        return given === 'int64'
          ? undefined
          : given === 'float64'
            ? `cannot convert float64 to ${type}`
            : `unrecognized type: ${name}`;
      return unmarshalerProblem(name, goName, value);
  }
}

function bytesProblem(value: Json, given: string): string | undefined {
  if (typeof value !== 'string') return isArray(value) ? undefined : `cannot restore slice from ${given}`;
  const result = decodeScalar('bytes', value, UNNESTED);
  return result.kind === 'invalid' ? `error decoding from json: ${result.message}` : undefined;
}

const UNNESTED = { decodeNested: (_definition: string, value: Json): Json => value };

/** Types with an UnmarshalJSON method are given JSON again; their errors have no path. */
function unmarshalerProblem(name: string, goName: string, value: Json): string | undefined {
  const result = decodeScalar(name, value, UNNESTED);
  switch (result.kind) {
    case 'fatal':
      return result.message;
    case 'fatalMismatch':
      return `json: cannot unmarshal ${result.found} into Go value of type ${result.type}`;
    case 'mismatch':
      return `json: cannot unmarshal ${result.found} into Go value of type ${goTypeOf(name, goName)}`;
    default:
      return undefined;
  }
}

/** The reflect.Kind of a decoded JSON value. */
function kindOf(value: Json): string {
  if (isArray(value)) return 'slice';
  if (isObject(value)) return 'map';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return 'string';
}

/** The Go type name of an element, from that of its container: `string` of `map[string]string`. */
function elementOf(goName: string): string {
  return /^(?:\[\]|map\[\w+\])\*?(.+)$/.exec(goName)?.[1] ?? '';
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
