/** Kinds of CEL types. `struct` has fields (objects of a schema, Kubernetes types), `opaque` a name and parameters. */
export type Kind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'list'
  | 'map'
  | 'struct'
  | 'opaque'
  | 'type'
  | 'param';

export interface CelType {
  readonly kind: Kind;
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** The type as compiler messages format it: `list(string)`. Equal types have equal texts. */
  readonly text: string;
}

const FORMATTED: Partial<Record<Kind, string>> = {
  error: '!error!',
  null: 'null',
  duration: 'duration',
  timestamp: 'timestamp',
};

function make(kind: Kind, name: string, parameters: readonly CelType[] = []): CelType {
  const plain = FORMATTED[kind] ?? name;
  const text = parameters.length === 0 ? plain : `${plain}(${parameters.map((inner) => inner.text).join(', ')})`;
  return { kind, name, parameters, text };
}

export const DYN = make('dyn', 'dyn');
export const ERROR = make('error', 'error');
export const NULL = make('null', 'null_type');
export const BOOL = make('bool', 'bool');
export const INT = make('int', 'int');
export const UINT = make('uint', 'uint');
export const DOUBLE = make('double', 'double');
export const STRING = make('string', 'string');
export const BYTES = make('bytes', 'bytes');
export const DURATION = make('duration', 'google.protobuf.Duration');
export const TIMESTAMP = make('timestamp', 'google.protobuf.Timestamp');

export function listOf(item: CelType): CelType {
  return make('list', 'list', [item]);
}

export function mapOf(key: CelType, value: CelType): CelType {
  return make('map', 'map', [key, value]);
}

export function optionalOf(value: CelType): CelType {
  return make('opaque', 'optional_type', [value]);
}

export function typeOf(of: CelType): CelType {
  return make('type', 'type', [of]);
}

export function struct(name: string): CelType {
  return make('struct', name);
}

export function opaque(name: string): CelType {
  return make('opaque', name);
}

export function parameter(name: string): CelType {
  return make('param', name);
}

/** The type with other parameters. */
export function withParameters(type: CelType, parameters: readonly CelType[]): CelType {
  return make(type.kind, type.name, parameters);
}

/** The parameter at an index; dyn where the type has none. */
export function parameterOf(type: CelType, index = 0): CelType {
  return type.parameters[index] ?? DYN;
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** The type inside an optional type; any other type unchanged. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? parameterOf(type) : type;
}

/** Type names that an expression may use as values: `type(x) == string`. */
export const NAMED_TYPES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  null_type: NULL,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  type: make('type', 'type'),
  optional_type: optionalOf(DYN),
  'google.protobuf.Duration': DURATION,
  'google.protobuf.Timestamp': TIMESTAMP,
  'net.IP': opaque('net.IP'),
  'net.CIDR': opaque('net.CIDR'),
};
