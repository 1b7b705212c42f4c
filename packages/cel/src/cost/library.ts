import { INT } from '../language/celtype.js';
import {
  ONE,
  PER_CHAR,
  PER_PATTERN_CHAR,
  perChar,
  searchCost,
  type CallShape,
  type Estimate,
  type Estimator,
  type Operand,
} from './operand.js';
import { fixed, MAX_ESTIMATE, plus, scale, times, type Range } from './range.js';

/** Cost of allocating a list. */
const LIST = 10;
/** The size of the longest pattern of a named format. */
const FORMAT_PATTERN = 128;

/** The result is at most as long as the operand. */
function sameSize(operand: Operand | undefined): Estimate | undefined {
  return operand === undefined ? undefined : { cost: scale(operand.size, PER_CHAR), size: operand.size };
}

const argChars: Estimator = ({ args: [text] }) => perChar(text);
const nominal: Estimator = () => ({ cost: ONE });

const traversal: Estimator = ({ target }) => {
  if (target === undefined) return undefined;
  const [item] = target.type.parameters;
  if (item === undefined) return { cost: scale(target.size, PER_CHAR) };
  const texts = item.kind === 'string' || item.kind === 'bytes';
  return { cost: times(target.size, texts ? plus(ONE, scale(target.itemSize, PER_CHAR)) : ONE) };
};

const replaced: Estimator = ({ target, args: [old, next] }) => {
  if (target === undefined || old === undefined || next === undefined) return undefined;
  return {
    cost: scale(target.size, 2 * PER_CHAR),
    size: {
      min: shortestReplaced(target.size, old.size, next.size),
      max: longestReplaced(target.size, old.size, next.size),
    },
  };
};

function longestReplaced(text: Range, old: Range, next: Range): number {
  if (old.min === 0) return plus(times(fixed(text.max + 1), fixed(next.max)), fixed(text.max)).max;
  if (next.max <= old.min) return text.max;
  return times(fixed(Math.ceil(text.max / old.min)), fixed(next.max)).max;
}

function shortestReplaced(text: Range, old: Range, next: Range): number {
  if (old.max === 0) return (text.min + 1) * next.min + text.min;
  if (old.max <= next.min) return text.min;
  return Math.ceil(text.min / old.max) * next.min;
}

const split: Estimator = ({ target, args: [, limit] }) => {
  if (target === undefined) return undefined;
  const value = limit?.expr?.kind === 'literal' ? limit.expr.value : undefined;
  const most = typeof value === 'bigint' ? (value < 0n ? MAX_ESTIMATE : Number(value)) : target.size.max;
  return { cost: scale(target.size, 2 * PER_CHAR), size: { min: 0, max: most } };
};

const joined: Estimator = ({ target, args: [separator] }) => {
  if (target === undefined) return undefined;
  const items = target.type.parameters.length === 0 ? fixed(0) : times(target.size, target.itemSize);
  const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const size = separator === undefined ? items : plus(items, times(separator.size, gaps));
  return { cost: scale(size, PER_CHAR), size };
};

const found: Estimator = ({ target, args: [pattern] }) => {
  const cost = searchCost(target, pattern);
  return cost === undefined || target === undefined ? undefined : { cost, size: { min: 0, max: target.size.max } };
};

const ADDRESS: Range = { min: 4, max: 16 };

function containment(extra: Range, withText: boolean): Estimator {
  return ({ args: [other] }) => {
    if (other === undefined) return undefined;
    const text = withText ? scale(other.size, PER_CHAR) : fixed(0);
    return { cost: plus(scale(plus(ADDRESS, ADDRESS), PER_CHAR), extra, text) };
  };
}

const MASKED = plus(scale(ADDRESS, PER_CHAR), ONE);

const validated: Estimator = ({ args: [text] }) =>
  text === undefined ? undefined : { cost: scale(scale(text.size, PER_CHAR), FORMAT_PATTERN * PER_PATTERN_CHAR) };

const selector: Estimator = ({ args: [text] }) => {
  if (text === undefined) return undefined;
  return { cost: plus(fixed(LIST), scale(text.size, PER_CHAR), scale(scale(text.size, 0.5), LIST + 40)) };
};

/** A call that allocates a list. */
function allocated(factor: number, size: Range): Estimate {
  return { cost: plus(scale(size, factor), ONE, fixed(LIST)), size };
}

function literalInt(operand: Operand | undefined, otherwise: number): number {
  const value = operand?.expr?.kind === 'literal' && operand.type.kind === INT.kind ? operand.expr.value : undefined;
  return typeof value === 'bigint' ? Math.max(0, Number(value)) : otherwise;
}

function sorted(type: string, operand: Operand | undefined): Estimate | undefined {
  if (operand === undefined) return undefined;
  return allocated(type === 'string' || type === 'bytes' ? 2 + PER_CHAR : 2, times(operand.size, operand.size));
}

const matched =
  (factor: number): Estimator =>
  ({ args: [a, b] }) =>
    a === undefined || b === undefined ? undefined : { cost: plus(scale(times(a.size, b.size), factor), ONE) };

/** By overload id. Checked first. */
const BY_OVERLOAD: Readonly<Record<string, Estimator>> = {
  list_slice: ({ target, args: [start, end] }) => {
    const size = literalInt(end, target?.size.max ?? MAX_ESTIMATE) - literalInt(start, 0);
    return allocated(1, fixed(size < 0 ? MAX_ESTIMATE : size));
  },
  lists_range: ({ args: [end] }) => allocated(1, fixed(literalInt(end, MAX_ESTIMATE))),
  list_reverse: ({ target }) => (target === undefined ? undefined : allocated(1, target.size)),
  list_flatten: ({ target }) => (target === undefined ? undefined : allocated(1, target.size)),
  list_flatten_int: ({ target, args: [depth] }) =>
    target === undefined ? undefined : allocated(literalInt(depth, MAX_ESTIMATE), target.size),
  list_distinct: ({ target }) => (target === undefined ? undefined : allocated(2, times(target.size, target.size))),
  ...Object.fromEntries(
    Object.entries({ contains: 1, intersects: 1, equivalent: 2 }).map(([name, factor]) => [
      `list_sets_${name}_list`,
      matched(factor),
    ]),
  ),
  cidr_ip: nominal,
  cidr_contains_ip_string: containment(fixed(0), true),
  cidr_contains_ip_ip: containment(fixed(0), false),
  cidr_contains_cidr_string: containment(MASKED, true),
  cidr_contains_cidr: containment(MASKED, false),
};

const NOMINAL: readonly string[] = [
  'serviceAccount',
  'path',
  'group',
  'resource',
  'subresource',
  'namespace',
  'name',
  'allowed',
  'reason',
  'error',
  'errored',
  'masked',
  'prefixLength',
  'family',
  'isUnspecified',
  'isLoopback',
  'isLinkLocalMulticast',
  'isLinkLocalUnicast',
  'isGlobalUnicast',
  'sign',
  'asInteger',
  'isInteger',
  'asApproximateFloat',
  'isGreaterThan',
  'isLessThan',
  'compareTo',
  'add',
  'sub',
  'major',
  'minor',
  'patch',
  'getScheme',
  'getHostname',
  'getHost',
  'getPort',
  'getEscapedPath',
  'getQuery',
  'format.named',
];

/** By function name. */
const BY_NAME: Readonly<Record<string, Estimator>> = {
  ...Object.fromEntries(NOMINAL.map((name) => [name, nominal])),
  check: () => ({ cost: fixed(350_000) }),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: ({ args: [text] }) => sameSize(text),
  lowerAscii: ({ target }) => sameSize(target),
  upperAscii: ({ target }) => sameSize(target),
  substring: ({ target }) => sameSize(target),
  trim: ({ target }) => sameSize(target),
  replace: replaced,
  split,
  join: joined,
  find: found,
  findAll: found,
  cidr: argChars,
  isIP: argChars,
  isCIDR: argChars,
  ip: argChars,
  'ip.isCanonical': ({ args: [text] }) => perChar(text, 2),
  quantity: argChars,
  isQuantity: argChars,
  semver: argChars,
  isSemver: argChars,
  validate: validated,
};

/** Estimates a call of a library function. Undefined means a cost of 1, or a function of the language. */
export function estimateLibraryCall(name: string, overload: string, call: CallShape): Estimate | undefined {
  const byOverload = Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload] : undefined;
  if (byOverload !== undefined) return byOverload(call);
  const [, sortType] = /^list_(\w+)_(?:sort|sortByAssociatedKeys)$/.exec(overload) ?? [];
  if (sortType !== undefined) return sorted(sortType, call.args[0] ?? call.target);
  const byName = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  return byName?.(call);
}
