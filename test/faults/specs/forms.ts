import { asRecord, isRecord, textField, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';

/** What may stand in a field instead of a good value, by its schema: as a slip, a template or a generator writes it. */
export type Form = 'absent' | 'null' | 'empty' | 'least' | 'most' | 'beyond' | 'wrong type' | 'present';

export type Path = readonly (string | number)[];

export interface Change {
  readonly path: Path;
  readonly form: Form;
  /** Undefined for `absent`. */
  readonly value: unknown;
}

const LONG = 5_000;
const MANY = 300;

/** Every field of `value`, below it and deeper, in each form. `seen` receives the path of each field that is reached, as schemas have it. */
export function changesOf(schema: JsonRecord, value: unknown, seen: Set<string>): readonly Change[] {
  return fieldsOf(schema, value, seen).flatMap(({ path, field, there }) =>
    there === undefined
      ? [{ path, form: 'present' as const, value: sampleOf(field) }]
      : formsOf(field, there).map(([form, to]) => ({ path, form, value: to })),
  );
}

interface Reached {
  readonly path: Path;
  readonly field: JsonRecord;
  /** Undefined: the field is not set, and may be. */
  readonly there: unknown;
}

/** `name`: of the field, as schemas have it. */
interface Place {
  readonly path: Path;
  readonly name: string;
}

function fieldsOf(
  schema: JsonRecord,
  value: unknown,
  seen: Set<string>,
  at: Place = { path: [], name: '' },
): readonly Reached[] {
  const { properties, additionalProperties, items } = schema;
  const children: [JsonRecord, unknown, Place][] = [];
  const add = (field: unknown, key: string | number, there: unknown, name: string): unknown =>
    children.push([asRecord(field), there, { path: [...at.path, key], name: `${at.name}${name}` }]);
  if (isRecord(value))
    for (const [key, field] of Object.entries(asRecord(properties))) add(field, key, value[key], `.${key}`);
  if (isRecord(additionalProperties))
    for (const [key, one] of Object.entries(asRecord(value))) add(additionalProperties, key, one, '.*');
  if (isRecord(items) && Array.isArray(value)) for (const [key, one] of value.entries()) add(items, key, one, '[]');
  return children.flatMap(([field, there, place]) => {
    const { path, name } = place;
    if (there === undefined) return [{ path, field, there }];
    seen.add(name);
    return [{ path, field, there }, ...fieldsOf(field, there, seen, place)];
  });
}

/** The paths of all fields of a schema, but for those that are declared so that their refusal says what to write instead. */
export function namesOf(schema: JsonRecord, name = ''): readonly string[] {
  const { properties, additionalProperties, items } = schema;
  const below: (readonly [string, unknown])[] = Object.entries(asRecord(properties)).map(([key, one]) => [
    `${name}.${key}`,
    one,
  ]);
  if (isRecord(additionalProperties)) below.push([`${name}.*`, additionalProperties]);
  if (isRecord(items)) below.push([`${name}[]`, items]);
  return below
    .filter(([, one]) => !/^(Never valid|No coordinate)/.test(textField(one, 'description')))
    .flatMap(([path, one]) => [path, ...namesOf(asRecord(one), path)]);
}

/** A value of the type, which need not be valid. */
function sampleOf(schema: JsonRecord): unknown {
  const { type, properties, items, minimum } = schema;
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  if (type === 'array') return [sampleOf(asRecord(items))];
  if (type === 'object')
    return Object.fromEntries(Object.entries(asRecord(properties)).map(([key, one]) => [key, sampleOf(asRecord(one))]));
  if (type === 'boolean') return true;
  if (type === 'string') return schema['format'] === 'date-time' ? '2026-01-02T03:04:05Z' : 'a';
  return typeof minimum === 'number' ? minimum : 1;
}

function formsOf(schema: JsonRecord, good: unknown): readonly (readonly [Form, unknown])[] {
  const { type } = schema;
  const kind =
    schema['x-kubernetes-int-or-string'] === true ? 'int-or-string' : Array.isArray(schema['enum']) ? 'enum' : type;
  const own = OF_TYPE[String(kind)];
  if (own === undefined) throw new Error(`a field of type ${JSON.stringify(type)}`);
  return [['absent', undefined], ['null', null], ...own(schema, good)];
}

type Forms = (schema: JsonRecord, good: unknown) => readonly (readonly [Form, unknown])[];

const OF_TYPE: Readonly<Record<string, Forms>> = {
  enum: ({ enum: all }, good) => [
    ['empty', ''],
    ...(all as readonly unknown[])
      .filter((one) => one !== good)
      .map((one, index) => [index === 0 ? 'least' : 'most', one] as const),
    ['beyond', 'Unheard'],
    ['beyond', String(good).toLowerCase()],
    ['wrong type', 1],
    ['wrong type', [good]],
  ],
  string: ({ minLength, maxLength, format }) => {
    const most = Number(maxLength ?? LONG);
    return [
      ['empty', ''],
      ['least', format === 'date-time' ? '0001-01-01T00:00:00Z' : 'z'.repeat(Number(minLength ?? 0) || 1)],
      ['least', '0'],
      ['most', format === 'date-time' ? '9999-12-31T23:59:59Z' : 'z'.repeat(most)],
      ['most', '9'.repeat(most)],
      ['beyond', format === 'date-time' ? '2026-13-01T00:00:00Z' : 'z'.repeat(most + 1)],
      ['beyond', ' é'],
      ['wrong type', 1],
      ['wrong type', ['a']],
    ];
  },
  integer: (schema) => [...numbersOf(schema), ['wrong type', 1.5]],
  number: (schema) => numbersOf(schema),
  boolean: (_, good) => [
    ['most', good !== true],
    ['wrong type', 'true'],
    ['wrong type', 1],
  ],
  'int-or-string': () => [
    ['empty', ''],
    ['least', 0],
    ['least', '0%'],
    ['most', 2_147_483_647],
    ['most', '100%'],
    ['most', '999999999999T'],
    ['beyond', -1],
    ['beyond', '101%'],
    ['beyond', 9_007_199_254_740_991],
    ['beyond', 'many'],
    ['wrong type', true],
    ['wrong type', 1.5],
    ['wrong type', {}],
  ],
  array: (schema, good) => {
    const { minItems, maxItems } = schema;
    const first = (good as readonly unknown[])[0];
    const items = (count: number): unknown[] => Array.from({ length: count }, (_, n) => anotherOf(schema, first, n));
    return [
      ['empty', []],
      ['least', items(Number(minItems ?? 1))],
      ['most', items(Number(maxItems ?? MANY))],
      ...(typeof maxItems === 'number' ? [['beyond', items(maxItems + 1)] as const] : []),
      ['beyond', [first, first]],
      ['wrong type', [null]],
      ['wrong type', {}],
      ['wrong type', 'a'],
    ];
  },
  object: ({ additionalProperties, maxProperties }, good) => {
    const entries = Object.entries(asRecord(good));
    const [key = 'a', value = 'a'] = (entries[0] ?? []) as [string?, unknown?];
    const many = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [n === 0 ? key : `${key}-${n}`, value]));
    const ofMaps: (readonly [Form, unknown])[] = [
      ['most', many(Number(maxProperties ?? MANY))],
      ...(typeof maxProperties === 'number' ? [['beyond', many(maxProperties + 1)] as const] : []),
      ['beyond', { ...Object.fromEntries(entries), ' ': value }],
    ];
    return [['empty', {}], ...(isRecord(additionalProperties) ? ofMaps : []), ['wrong type', 'a'], ['wrong type', []]];
  },
};

function numbersOf({ minimum, maximum, format }: JsonRecord): readonly (readonly [Form, unknown])[] {
  const [low, high] = format === 'int64' ? [-(2 ** 53), 2 ** 53] : [-(2 ** 31), 2 ** 31 - 1];
  const [least, most] = [Number(minimum ?? low), Number(maximum ?? high)];
  return [
    ['empty', 0],
    ['least', least],
    ['most', most],
    ['beyond', least - 2],
    ['beyond', most + 2],
    ['wrong type', '1'],
    ['wrong type', true],
  ];
}

/** The n-th copy of an item, with other keys where the list has keys. */
function anotherOf(schema: JsonRecord, item: unknown, n: number): unknown {
  const kind = schema['x-kubernetes-list-type'];
  if (n === 0 || (kind !== 'set' && kind !== 'map')) return item;
  if (kind === 'set') return otherThan(item, n);
  const { properties } = asRecord(schema['items']);
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[];
  const isFree = (key: string): boolean => !Array.isArray(asRecord(asRecord(properties)[key])['enum']);
  const changed = keys.filter(isFree).map((key) => [key, otherThan(asRecord(item)[key], n)]);
  return { ...asRecord(item), ...Object.fromEntries(changed) };
}

function otherThan(value: unknown, n: number): unknown {
  return typeof value === 'number' ? value + n : `${String(value)}-${n}`;
}

/** A copy of a spec with the change. */
export function withChange(value: unknown, { path, ...to }: Omit<Change, 'form'>): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return to.value;
  if (Array.isArray(value)) {
    const copy = value.map((one, at) => (at === first ? withChange(one, { path: rest, ...to }) : one));
    return copy.filter((one) => one !== undefined);
  }
  const { [first]: inner, ...others } = asRecord(value);
  const changed = withChange(inner, { path: rest, ...to });
  return changed === undefined ? others : { ...asRecord(value), [first]: changed };
}

/** `predicates[0].numberOfClusters` */
export function pathText(path: Path): string {
  return path
    .map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`))
    .join('')
    .replace(/^\./, '');
}

/** `spec.predicates[0].numberOfClusters beyond: -1` */
export function changeText({ path, form, value }: Change): string {
  const text = JSON.stringify(value) ?? '';
  return `${pathText(path)} ${form}${text === '' ? '' : `: ${text.length > 80 ? `${text.slice(0, 60)}… (${text.length})` : text}`}`;
}
