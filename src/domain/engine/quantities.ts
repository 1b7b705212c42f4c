/** The power of ten, or of two, for which a suffix stands. */
const DECIMAL: Powers = { n: -9n, u: -6n, m: -3n, '': 0n, k: 3n, M: 6n, G: 9n, T: 12n, P: 15n, E: 18n };
const BINARY: Powers = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
type Powers = Readonly<Record<string, bigint>>;

const FORM = /^([+-]?)(\d{1,30})?(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;
/** Quantities are compared in units of 10^-160: a whole number for every quantity of the form above. */
const SCALE = 160n;

/**
 * Whether two quantities of Kubernetes (`500m`, `0.5`, `128Mi`, `1e3`) have the same value; texts that are no quantities
 * are compared as texts.
 */
export function sameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = scaled(a);
  return left !== undefined && left === scaled(b);
}

/** Whether `a` is more than `b`; false where one of them is no quantity. */
export function isMore(a: unknown, b: unknown): boolean {
  const [left, right] = [scaled(a), scaled(b)];
  return left !== undefined && right !== undefined && left > right;
}

function scaled(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = FORM.exec(String(value)) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const power = exponent === undefined ? (DECIMAL[suffix] ?? 0n) : BigInt(exponent);
  const digits = BigInt(whole + fraction) * 2n ** (BINARY[suffix] ?? 0n);
  const size = digits * 10n ** (SCALE - BigInt(fraction.length) + power);
  return sign === '-' ? -size : size;
}
