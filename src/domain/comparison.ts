/** The operators that compare a value with a bound: versions number by number, everything else as Kubernetes quantities. */
import { parseQuantity } from '@multicluster-engine/cel/quantity';

export type Comparison = 'Gt' | 'Ge' | 'Lt' | 'Le';

/**
 * What values are compared with. Its type is that of every value that is compared with it. `nanos`: the quantity in units of
 * 10^-9, as a text, since rules are values that JSON can hold.
 */
export type Bound =
  | { readonly kind: 'version'; readonly numbers: readonly number[] }
  | { readonly kind: 'quantity'; readonly nanos: string };

export const COMPARISONS: readonly Comparison[] = ['Gt', 'Ge', 'Lt', 'Le'];

export const BOUND_RULE = 'a version of two or three numbers (v1.30) or a quantity (4, 500m, 16Gi, 0.35)';

/** A bound is two or three numbers; what follows them in a value, as in `v1.30.2-gke.100`, does not count. */
const VERSION = /^v(\d+)\.(\d+)(?:\.(\d+))?$/;
const VERSION_WITH_SUFFIX = /^v(\d+)\.(\d+)(?:\.(\d+))?(?:[-+][^]*)?$/;
const LONGEST_WITH_EXPONENT = 6;
/** Of a version that precedes one with a 0. */
const LARGE = 1e9;

export function isComparison(operator: string): operator is Comparison {
  return COMPARISONS.some((one) => one === operator);
}

/** The bound that `text` is; undefined when it is neither a version nor a quantity. */
export function readBound(text: string): Bound | undefined {
  const version = VERSION.exec(text);
  return version === null ? readQuantity(text) : versionOf(version);
}

/** Whether the comparison holds for `found`; undefined for a text that is not of the type of the bound. */
export function holds(operator: Comparison, found: string, bound: Bound): boolean | undefined {
  const difference = compare(found, bound);
  if (difference === undefined) return undefined;
  switch (operator) {
    case 'Gt':
      return difference > 0;
    case 'Ge':
      return difference >= 0;
    case 'Lt':
      return difference < 0;
    case 'Le':
      return difference <= 0;
  }
}

/** Values that compare differently with bounds of this type: the bound, and the next smaller and larger value. */
export function valuesAround(bound: Bound): readonly string[] {
  if (bound.kind === 'quantity') return [-1n, 0n, 1n].map((step) => `${BigInt(bound.nanos) + step}n`);
  const [major = 0, minor = 0, patch = 0] = bound.numbers;
  const around = [
    [major, minor, patch],
    [major, minor, patch + 1],
    patch > 0 ? [major, minor, patch - 1] : minor > 0 ? [major, minor - 1, LARGE] : [major - 1, LARGE, LARGE],
  ];
  return around.map((numbers) => `v${numbers.join('.')}`);
}

/** A negative number when `found` is smaller than the bound, a positive one when it is larger, else 0. */
function compare(found: string, bound: Bound): number | undefined {
  if (bound.kind === 'quantity') {
    const nanos = parseQuantity(found)?.nanos;
    if (nanos === undefined) return undefined;
    const than = BigInt(bound.nanos);
    return nanos < than ? -1 : nanos > than ? 1 : 0;
  }
  const match = VERSION_WITH_SUFFIX.exec(found);
  if (match === null) return undefined;
  const { numbers } = versionOf(match);
  const at = numbers.findIndex((number, index) => number !== bound.numbers[index]);
  if (at < 0) return 0;
  return (numbers[at] ?? 0) < (bound.numbers[at] ?? 0) ? -1 : 1;
}

function versionOf([, major, minor, patch = '0']: RegExpExecArray): Extract<Bound, { kind: 'version' }> {
  return { kind: 'version', numbers: [major, minor, patch].map(Number) };
}

function readQuantity(text: string): Bound | undefined {
  const parsed = hasLongExponent(text) ? undefined : parseQuantity(text);
  return parsed && { kind: 'quantity', nanos: String(parsed.nanos) };
}

/**
 * Whether a quantity has an exponent and more than six characters: none is a bound, since an API server needs minutes to parse
 * `1e-805069125`.
 */
export function hasLongExponent(text: string): boolean {
  return text.length > LONGEST_WITH_EXPONENT && /[eE][+-]?\d/.test(text);
}
