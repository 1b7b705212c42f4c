import {
  quote,
  readObject,
  readWhole,
  reject,
  checkClaimKey,
  checkLabelKey,
  readList,
  readOneOf,
  readRequirements,
  readString,
  type LabelsAndClaims,
} from '../../selectors.js';
import { nanosOf, hasLongExponent } from '../../comparison.js';

type Fields = Readonly<Record<string, unknown>>;

/** A label or claim whose value is read as a quantity. */
export interface ValueCoordinate {
  readonly kind: 'Value';
  readonly source: 'label' | 'claim';
  readonly key: string;
  /** Whether small values are good; otherwise large ones are. */
  readonly isAscending: boolean;
  /** The values between which the score changes; undefined: the smallest and the largest of the candidates. */
  readonly range: { readonly min: number; readonly max: number } | undefined;
}

/** What a score is computed from. */
export type Coordinate =
  | { readonly kind: 'Balance' }
  | { readonly kind: 'PredicateOrder' }
  | ValueCoordinate
  | ({ readonly kind: 'Selector' } & LabelsAndClaims);

/** One configuration of the policy that counts: its weight is not 0. */
export interface Prioritizer {
  /** Its place in the list of configurations. */
  readonly index: number;
  readonly weight: number;
  readonly coordinate: Coordinate;
  /** The name of a built-in coordinate. */
  readonly builtIn?: string;
}

type Named = Pick<Prioritizer, 'coordinate' | 'builtIn'>;

const BUILT_INS: ReadonlyMap<string, Coordinate> = new Map<string, Coordinate>([
  ['Balance', { kind: 'Balance' }],
  ['PredicateOrder', { kind: 'PredicateOrder' }],
  ['ResourceAllocatableCPU', allocatable('cpu')],
  ['ResourceAllocatableMemory', allocatable('memory')],
]);
/** The field that each type needs, and no other type has. */
const BODIES = { BuiltIn: 'builtIn', Claim: 'claim', Label: 'label', Selector: 'selector' } as const;
const TYPES = ['BuiltIn', 'Claim', 'Label', 'Selector'] as const;
const MODES = ['Exact', 'Additive'] as const;
const ORDERS = ['Ascending', 'Descending'] as const;
const MOST_CONFIGURATIONS = 16;
const LARGEST_WEIGHT = 10;
/** What the adapter of Open Cluster Management makes of an AddOnPlacementScore. */
const SCORE_CLAIM = 'the claim score/RESOURCE/NAME';
/** With one of three digits a number may be more than a double holds. */
const LARGE_EXPONENT = /[eE][+-]?\d{3}/;
const QUANTITY_RULE = 'a quantity, such as 4, 500m, 16Gi or 0.35, with at most two digits in an exponent';
const STEADY = 'selected clusters stay; write spec.rebalance.scoreMargin to say how much better another one has to be';

function allocatable(resource: string): ValueCoordinate {
  return { kind: 'Value', source: 'claim', key: `allocatable/${resource}`, isAscending: false, range: undefined };
}

/** The prioritizers of a Placement, inside a `parse`; none for an absent policy. */
export function readPrioritizers(value: unknown, path: string): readonly Prioritizer[] {
  const policy = readObject(value, path);
  if (isPresent(policy['mode'])) readOneOf(policy['mode'], MODES, `${path}.mode`);
  const at = `${path}.configurations`;
  const items = readList(policy['configurations'], at, MOST_CONFIGURATIONS);
  return items.map((item, index) => readPrioritizer(item, `${at}[${index}]`, index)).filter((one) => one.weight !== 0);
}

/** Whether a score depends on what other Placements select. */
export function isBalanced({ prioritizers }: { readonly prioritizers: readonly Prioritizer[] }): boolean {
  return prioritizers.some(({ coordinate }) => coordinate.kind === 'Balance');
}

function readPrioritizer(item: unknown, path: string, index: number): Prioritizer {
  const fields = readObject(item, path);
  const weight = readWhole(fields['weight'], `${path}.weight`, -LARGEST_WEIGHT, LARGEST_WEIGHT) ?? 1;
  const at = `${path}.scoreCoordinate`;
  if (!isPresent(fields['scoreCoordinate'])) reject(at, 'is missing: a configuration needs it');
  return { index, weight, ...readCoordinate(readObject(fields['scoreCoordinate'], at), at) };
}

function readCoordinate(value: Fields, path: string): Named {
  if (isPresent(value['addOn'])) reject(`${path}.addOn`, `addOn is not a coordinate: write claim, with ${SCORE_CLAIM}`);
  if (value['type'] === 'AddOn') reject(`${path}.type`, `"AddOn" is not a type: write Claim, with ${SCORE_CLAIM}`);
  const type = readOneOf(value['type'], TYPES, `${path}.type`);
  for (const of of TYPES) {
    const body = BODIES[of];
    const isGiven = isPresent(value[body]);
    if (of === type && !isGiven) reject(`${path}.${body}`, `is missing: type ${type} needs it`);
    if (of !== type && isGiven) reject(`${path}.${body}`, `${quote(value[body])} must be absent with type ${type}`);
  }
  const at = `${path}.${BODIES[type]}`;
  switch (type) {
    case 'BuiltIn':
      return readBuiltIn(value['builtIn'], at);
    case 'Claim':
      return { coordinate: readValues(readObject(value['claim'], at), at, 'claim') };
    case 'Label':
      return { coordinate: readValues(readObject(value['label'], at), at, 'label') };
    case 'Selector':
      return { coordinate: { kind: 'Selector', ...readRequirements(readObject(value['selector'], at), at) } };
  }
}

function readBuiltIn(value: unknown, path: string): Named {
  if (value === 'Steady') reject(path, `"Steady" is not a coordinate: ${STEADY}`);
  const builtIn = readOneOf(value, [...BUILT_INS.keys()], path);
  return { builtIn, coordinate: BUILT_INS.get(builtIn) ?? { kind: 'Balance' } };
}

function readValues(value: Fields, path: string, source: 'label' | 'claim'): ValueCoordinate {
  const key = readString(value['name'], `${path}.name`);
  if (source === 'label') checkLabelKey(key, `${path}.name`);
  else checkClaimKey(key, `${path}.name`);
  const order = readOneOf(value['order'] ?? 'Descending', ORDERS, `${path}.order`);
  return { kind: 'Value', source, key, isAscending: order === 'Ascending', range: readRange(value, path) };
}

function readRange(value: Fields, path: string): ValueCoordinate['range'] {
  const [hasMin, hasMax] = [isPresent(value['min']), isPresent(value['max'])];
  if (!hasMin && !hasMax) return undefined;
  if (!hasMin) reject(`${path}.min`, 'is missing: max needs it');
  if (!hasMax) reject(`${path}.max`, 'is missing: min needs it');
  const [min, max] = [readQuantity(value['min'], `${path}.min`), readQuantity(value['max'], `${path}.max`)];
  if (min >= max) reject(`${path}.max`, `${quote(value['max'])}: max must be greater than min, ${quote(value['min'])}`);
  return { min, max };
}

function readQuantity(value: unknown, path: string): number {
  const text = Number.isInteger(value) ? String(value) : value;
  const isQuantity = typeof text === 'string' && !hasLongExponent(text) && !LARGE_EXPONENT.test(text);
  const quantity = isQuantity ? amountOf(text) : undefined;
  return quantity ?? reject(path, `${quote(value)}: must be ${QUANTITY_RULE}`);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** As many digits as a number holds exactly. */
const MOST_DIGITS = 15;
const MOST_DECIMALS = 9;
const [ZERO, POINT] = ['0'.charCodeAt(0), '.'.charCodeAt(0)];
/** Powers of two: the product of one with a whole number is exact. */
const FACTORS: ReadonlyMap<string, number> = new Map(
  ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, index) => [suffix, 1024 ** index]),
);

/**
 * A quantity of Kubernetes (`500m`, `16Gi`, `0.35`) as a finite number; undefined for a text that is none. It is the nearest
 * number, so that equal quantities are equal whatever suffix they have.
 */
export function amountOf(text: string): number | undefined {
  const amount = shortAmount(text);
  if (amount !== undefined) return amount;
  const nanos = nanosOf(text);
  return nanos === undefined ? undefined : Number(`${nanos}e-9`);
}

/** Most values are short, and a decision among thousands of clusters reads each of them: without an object, and digit by digit. */
function shortAmount(text: string): number | undefined {
  let [value, at, digits, decimals] = [0, 0, 0, -1];
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
      if (decimals >= 0) decimals++;
    } else if (code === POINT && decimals < 0) decimals = 0;
    else break;
  }
  if (digits === 0 || digits > MOST_DIGITS || decimals > MOST_DECIMALS) return undefined;
  if (at === text.length) return decimals > 0 ? value / 10 ** decimals : value;
  const factor = decimals > 0 ? undefined : FACTORS.get(text.slice(at));
  return factor === undefined ? undefined : value * factor;
}

/** `spec.rebalance`: when a selected cluster makes room for a better one. */
export interface Rebalance {
  /** By how much the score of the one that comes in has to be higher; 0 or more. */
  readonly scoreMargin: number;
  /** How long a cluster stays selected at least; 0 to 31536000. */
  readonly minSelectedSeconds: number;
  /** How often scores are compared; 1 to 86400. */
  readonly intervalSeconds: number;
}

const LARGEST_MARGIN = 2 ** 31 - 1;
const DEFAULT_STAY = 3600;
const LONGEST_STAY = 31_536_000;
const DEFAULT_INTERVAL = 60;
const LONGEST_INTERVAL = 86_400;

/** The moves that a spec asks for, inside a `parse`; undefined without them. */
export function readRebalance(value: unknown, path: string): Rebalance | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = readObject(value, path);
  const seconds = (field: string, least: number, most: number): number | undefined =>
    readWhole(fields[field], `${path}.${field}`, least, most);
  return {
    scoreMargin: readMargin(fields['scoreMargin'], `${path}.scoreMargin`),
    minSelectedSeconds: seconds('minSelectedSeconds', 0, LONGEST_STAY) ?? DEFAULT_STAY,
    intervalSeconds: seconds('intervalSeconds', 1, LONGEST_INTERVAL) ?? DEFAULT_INTERVAL,
  };
}

function readMargin(value: unknown, path: string): number {
  const rule = `a number from 0 to ${LARGEST_MARGIN}`;
  if (value === undefined || value === null) return reject(path, `is missing: ${rule} is required`);
  if (typeof value === 'number' && value >= 0 && value <= LARGEST_MARGIN) return value;
  return reject(path, `${quote(value)} is not ${rule}`);
}
