import { hasLongExponent } from '../../comparison.js';
import { amountOf } from './amount.js';
import {
  checkClaimKey,
  checkLabelKey,
  quote,
  readList,
  readObject,
  readOneOf,
  readRequirements,
  readString,
  readWhole,
  reject,
  type LabelsAndClaims,
} from '../../selectors.js';

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
