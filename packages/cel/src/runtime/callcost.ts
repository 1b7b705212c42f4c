import { List, Opaque, ValueMap, costSize, type Value } from '../language/value.js';

/** Cost per character of a string, and per character of a pattern. */
const PER_CHAR = 0.1;
const PER_PATTERN_CHAR = 0.25;

/** Cost of allocating a list. */
const LIST = 10;

/** A cost above the limit of one evaluation. */
const TOO_MUCH = 1_000_000;

const ceil = Math.ceil;

function chars(value: Value | undefined, factor = 1): number {
  return ceil(costSize(value ?? null) * factor * PER_CHAR);
}

function search(text: Value | undefined, patternSize: number): number {
  return ceil((1 + costSize(text ?? null)) * PER_CHAR) * ceil(patternSize * PER_PATTERN_CHAR);
}

type Cost = (args: readonly Value[], result: Value) => number;

const nothing: Cost = () => 0;
const one: Cost = () => 1;
const firstChars: Cost = ([first]) => chars(first);
const twiceFirstChars: Cost = ([first]) => chars(first, 2);
const bothChars: Cost = ([a, b]) => ceil((costSize(a ?? null) + costSize(b ?? null)) * PER_CHAR);
const shorterChars: Cost = ([a, b]) => ceil(Math.min(costSize(a ?? null), costSize(b ?? null)) * PER_CHAR);
const traversal: Cost = ([first]) => traversalCost(first ?? null);
const selfCompare: Cost = ([, second, ...rest]) =>
  rest.length === 0 && second instanceof List ? compareCost(second) : 0;

const matched =
  (factor: number): Cost =>
  ([a, b]) =>
    costSize(a ?? null) * costSize(b ?? null) * factor + 1;

/** By overload id, where overloads of a function differ. */
const BY_OVERLOAD: Readonly<Record<string, Cost>> = {
  starts_with_string: firstChars,
  ends_with_string: firstChars,
  string_to_bytes: firstChars,
  bytes_to_string: firstChars,
  string_format: firstChars,
  strings_quote: firstChars,
  in_list: ([, list]) => costSize(list ?? null),
  add_string: bothChars,
  add_bytes: bothChars,
  matches_string: ([text, pattern]) => search(text, costSize(pattern ?? null)),
  matches: ([text, pattern]) => search(text, costSize(pattern ?? null)),
  contains_string: ([text, part]) => chars(text) * chars(part),
  cidr_ip: () => 1,
  cidr_contains_ip_string: ([cidr, other]) => chars(cidr, 2) + chars(other),
  cidr_contains_ip_ip: ([cidr]) => chars(cidr, 2),
  cidr_contains_cidr_string: ([cidr, other]) => chars(cidr, 2) + chars(cidr) + 1 + chars(other),
  cidr_contains_cidr: ([cidr]) => chars(cidr, 2) + chars(cidr) + 1,
  list_slice: (_, result) => costSize(result) + 1 + LIST,
  lists_range: (_, result) => costSize(result) + 1 + LIST,
  list_reverse: (_, result) => costSize(result) + 1 + LIST,
  list_flatten: ([list]) => costSize(list ?? null) + 1 + LIST,
  list_flatten_int: ([list, depth]) => costSize(list ?? null) * Number(depth) + 1 + LIST,
  list_distinct: ([list]) => compareCost(list ?? null),
  list_sets_contains_list: matched(1),
  list_sets_intersects_list: matched(1),
  list_sets_equivalent_list: matched(2),
};

/** By function name. */
const BY_NAME: Readonly<Record<string, Cost>> = {
  check: () => 350_000,
  fieldSelector: ([, text]) => selectorCost(text ?? null),
  labelSelector: ([, text]) => selectorCost(text ?? null),
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: firstChars,
  lowerAscii: firstChars,
  upperAscii: firstChars,
  substring: firstChars,
  trim: firstChars,
  replace: twiceFirstChars,
  split: twiceFirstChars,
  join: (_, result) => chars(result, 2),
  find: ([text, pattern]) => search(text, costSize(pattern ?? null)),
  findAll: ([text, pattern]) => search(text, costSize(pattern ?? null)),
  cidr: firstChars,
  isIP: firstChars,
  isCIDR: firstChars,
  ip: firstChars,
  isCanonical: twiceFirstChars,
  quantity: firstChars,
  isQuantity: firstChars,
  semver: firstChars,
  isSemver: firstChars,
  validate: ([format, text]) => search(text, format instanceof Opaque ? format.costSize : 1),
  sort: ([list]) => compareCost(list ?? null),
  '@sortByAssociatedKeys': selfCompare,
  '_==_': ([a, b]) => (a instanceof Opaque ? 1 : shorterChars([a ?? null, b ?? null], null)),
  '_!=_': shorterChars,
  '_?_:_': nothing,
};

const ORDERED = /^(less|less_equals|greater|greater_equals)_(string|bytes)$/;

const known = new Map<string, Cost>();

/** The cost of a call without its arguments: the run-time part of the API server's cost model. */
export function callCost(name: string, overload: string, args: readonly Value[], result: Value): number {
  let cost = known.get(overload);
  if (cost === undefined) {
    cost = findCost(name, overload);
    known.set(overload, cost);
  }
  return cost(args, result);
}

function findCost(name: string, overload: string): Cost {
  const byOverload = Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload] : undefined;
  const byName = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  return byOverload ?? byName ?? (ORDERED.test(overload) ? shorterChars : one);
}

function traversalCost(value: Value): number {
  let cost = 0;
  const rest = [value];
  // A list may contain the same list many times; the traversal stops at the cost limit.
  for (let next = rest.pop(); next !== undefined && cost <= TOO_MUCH; next = rest.pop()) {
    for (const inner of membersOf(next)) rest.push(inner);
    if (!(next instanceof List || next instanceof ValueMap)) cost += scalarCost(next);
  }
  return cost;
}

function membersOf(value: Value): readonly Value[] {
  if (value instanceof List) return value.items();
  return value instanceof ValueMap ? value.keys().flatMap((key) => [key, value.find(key) ?? null]) : [];
}

function scalarCost(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * PER_CHAR);
  return value instanceof Uint8Array ? Math.trunc(value.length * PER_CHAR) : 1;
}

/** The cost of comparing every item with every other. */
function compareCost(list: Value): number {
  if (!(list instanceof List) || list.size === 0) return 1 + LIST;
  const first = list.at(0);
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + PER_CHAR : 2;
  return Math.trunc(list.size * list.size * factor) + 1 + LIST;
}

/** The cost of parsing a selector into requirements, each a struct with a list. */
function selectorCost(text: Value): number {
  const size = costSize(text);
  return LIST + ceil(size * PER_CHAR) + ceil(size * 0.5) * (LIST + 40);
}
