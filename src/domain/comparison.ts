/** The operators that compare a value with a threshold: versions number by number, everything else as Kubernetes quantities. */
import { parseQuantity } from '@multicluster-engine/values/quantity';

export type Comparison = 'Gt' | 'Ge' | 'Lt' | 'Le';

/**
 * What values are compared with. Its type is that of every value that is compared with it. `nanos`: the quantity in units of
 * 10^-9. Numbers of any length are texts, since rules are values that JSON can hold.
 */
export type Threshold =
  | { readonly kind: 'version'; readonly numbers: readonly string[] }
  | { readonly kind: 'quantity'; readonly nanos: string };

export const COMPARISONS: readonly Comparison[] = ['Gt', 'Ge', 'Lt', 'Le'];

export const THRESHOLD_RULE = 'a version of two or three numbers (v1.30) or a quantity (4, 500m, 16Gi, 0.35)';

/** A threshold is two or three numbers; what follows them in a value, as in `v1.30.2-gke.100`, does not count. */
const VERSION = /^v(\d+)\.(\d+)(?:\.(\d+))?$/;
const VERSION_WITH_SUFFIX = /^v(\d+)\.(\d+)(?:\.(\d+))?(?:[-+][^]*)?$/;
const LONGEST_WITH_EXPONENT = 6;
/** A number that counts as the largest in a version, so that v1.LARGE is the version before v2.0. */
const LARGE = 10n ** 9n;
/** What is beyond the numbers of a double is none, in units of 10^-9. */
const LARGEST = BigInt(Number.MAX_VALUE) * 10n ** 9n;

export function isComparison(operator: string): operator is Comparison {
  return COMPARISONS.some((one) => one === operator);
}

/** The threshold that `text` is; undefined when it is neither a version nor a quantity. */
export function readThreshold(text: string): Threshold | undefined {
  const version = VERSION.exec(text);
  return version === null ? readQuantity(text) : versionOf(version);
}

/** Whether the comparison holds for `found`; undefined for a text that is not of the type of the threshold. */
export function holds(operator: Comparison, found: string, threshold: Threshold): boolean | undefined {
  const difference = compare(found, threshold);
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

/** Values that compare differently with thresholds of this type: the threshold, and the next smaller and larger value. */
export function valuesAround(threshold: Threshold): readonly string[] {
  if (threshold.kind === 'quantity') return [-1n, 0n, 1n].map((step) => `${BigInt(threshold.nanos) + step}n`);
  const [major = 0n, minor = 0n, patch = 0n] = threshold.numbers.map(BigInt);
  const around = [
    [major, minor, patch],
    [major, minor, patch + 1n],
    patch > 0 ? [major, minor, patch - 1n] : minor > 0 ? [major, minor - 1n, LARGE] : [major - 1n, LARGE, LARGE],
  ];
  return around.map((numbers) => `v${numbers.join('.')}`);
}

/** A negative number when `found` is smaller than the threshold, a positive one when it is larger, else 0. */
function compare(found: string, threshold: Threshold): number | undefined {
  if (threshold.kind === 'quantity') {
    const nanos = nanosOf(found);
    return nanos === undefined ? undefined : order(nanos, BigInt(threshold.nanos));
  }
  const match = VERSION_WITH_SUFFIX.exec(found);
  if (match === null) return undefined;
  for (const [index, number] of versionOf(match).numbers.entries()) {
    const than = threshold.numbers[index] ?? '0';
    if (number === than) continue;
    // Only of long numbers the doubles are the same: a decision compares thousands of versions.
    const by = Number(number) - Number(than) || order(BigInt(number), BigInt(than));
    if (by !== 0) return by;
  }
  return 0;
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The quantity in units of 10^-9; undefined for a text that is none, and for what a double does not hold. */
export function nanosOf(text: string): bigint | undefined {
  const nanos = parseQuantity(text)?.nanos;
  return nanos === undefined || nanos > LARGEST || nanos < -LARGEST ? undefined : nanos;
}

function versionOf([, major = '', minor = '', patch = '0']: RegExpExecArray): Extract<Threshold, { kind: 'version' }> {
  return { kind: 'version', numbers: [major, minor, patch] };
}

function readQuantity(text: string): Threshold | undefined {
  const parsed = hasLongExponent(text) ? undefined : parseQuantity(text);
  return parsed && { kind: 'quantity', nanos: String(parsed.nanos) };
}

/**
 * Whether a quantity has an exponent and more than six characters: none is a threshold, since an API server needs minutes to parse
 * `1e-805069125`.
 */
export function hasLongExponent(text: string): boolean {
  return text.length > LONGEST_WITH_EXPONENT && /[eE][+-]?\d/.test(text);
}
