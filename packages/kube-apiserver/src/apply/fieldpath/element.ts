import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import { goDefault } from '@multicluster-engine/values/schema/go/format';
import { compareBytes, goJson, goQuote } from '@multicluster-engine/values/text';

/**
 * A path element in the encoding of `fieldsV1`: `f:name` is a member of an object, `k:{"name":"a"}` the list item with
 * these keys (sorted), `v:"a"` the set item with this value, `i:0` an index. Two elements are equal exactly when their
 * texts are.
 */
export type Element = string;

export type KeyField = readonly [name: string, value: Json];

export function memberElement(name: string): Element {
  return `f:${name}`;
}

export function valueElement(value: Json): Element {
  return `v:${goJson(value)}`;
}

export function keyElement(fields: readonly KeyField[]): Element {
  const sorted = [...fields].sort(([a], [b]) => compareBytes(a, b));
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

/** The name of an object member; undefined for a list item. */
export function memberName(element: Element): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/**
 * Parses a key of `fieldsV1` and normalizes it. Undefined for an unknown kind of element, which the API server drops.
 *
 * @throws Error for a malformed key.
 */
export function readElement(text: string): Element | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parse(rest));
    case 'k':
      return keyElement(keyFields(parse(rest)));
    case 'i':
      if (!/^[+-]?[0-9]+$/.test(rest)) throw new Error(`strconv.Atoi: parsing ${goQuote(rest)}: invalid syntax`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

/**
 * The order in which the API server sorts elements: members by name, then keys, values, indexes. Create one comparator
 * for each sort: it parses each element once.
 */
export function elementOrder(): (a: Element, b: Element) => number {
  const values = new Map<Element, Json>();
  const valueOf = (element: Element): Json => {
    const known = values.get(element);
    if (known !== undefined) return known;
    const value = parse(element.slice(2));
    values.set(element, value);
    return value;
  };
  return (a, b) => {
    const kind = a[0] === b[0] ? 0 : 'fkvi'.indexOf(a[0] ?? '') - 'fkvi'.indexOf(b[0] ?? '');
    if (kind !== 0) return kind;
    switch (a[0]) {
      case 'f':
        return compareBytes(a, b);
      case 'k':
        return compareFields(keyFields(valueOf(a)), keyFields(valueOf(b)));
      case 'v':
        return compareValues(valueOf(a), valueOf(b));
      default:
        return Number(a.slice(2)) - Number(b.slice(2));
    }
  };
}

/** A path element for messages: `.name`, `[k="a"]`, `[="a"]`, `[0]`. */
export function elementText(element: Element): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k':
      return `[${keyFields(parse(rest))
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${valueText(parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

export function pathText(path: readonly Element[]): string {
  return path.map(elementText).join('');
}

function valueText(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return goQuote(value);
  if (isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isObject(value))
    return Object.entries(value)
      .map(([key, child]) => `${key}=${valueText(child ?? null)}`)
      .join('');
  return goDefault(value);
}

function parse(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

function keyFields(value: Json): KeyField[] {
  if (!isObject(value)) throw new Error('expected an object of keys');
  return Object.entries(value).map(([name, child]) => [name, child ?? null]);
}

function compareFields(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareBytes(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const RANKS: readonly string[] = ['number', 'string', 'boolean', 'array', 'object', 'null'];

function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return RANKS.indexOf(rankOf(a)) - RANKS.indexOf(rankOf(b)) || compareBytes(goJson(a), goJson(b));
}

function rankOf(value: Json): string {
  if (value === null) return 'null';
  return isArray(value) ? 'array' : typeof value;
}
