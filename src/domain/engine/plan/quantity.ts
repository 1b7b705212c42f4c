/** Quantities of Kubernetes (`500m`, `0.5`, `128Mi`, `1e3`), compared by value. */

interface Unit {
  readonly base: bigint;
  readonly power: bigint;
}

const UNITS: Readonly<Record<string, Unit>> = {
  n: { base: 10n, power: -9n },
  u: { base: 10n, power: -6n },
  m: { base: 10n, power: -3n },
  '': { base: 10n, power: 0n },
  k: { base: 10n, power: 3n },
  M: { base: 10n, power: 6n },
  G: { base: 10n, power: 9n },
  T: { base: 10n, power: 12n },
  P: { base: 10n, power: 15n },
  E: { base: 10n, power: 18n },
  Ki: { base: 2n, power: 10n },
  Mi: { base: 2n, power: 20n },
  Gi: { base: 2n, power: 30n },
  Ti: { base: 2n, power: 40n },
  Pi: { base: 2n, power: 50n },
  Ei: { base: 2n, power: 60n },
};

const FORM = /^([+-]?)(\d{1,30})?(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;
/** Quantities are compared in units of 10^-160: a whole number for every quantity of the form above. */
const SCALE = 160n;

/** Whether two quantities are the same; texts that are no quantities are compared as texts. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = scaled(a);
  return left !== undefined && left === scaled(b);
}

function scaled(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = FORM.exec(String(value)) ?? [];
  const unit = UNITS[suffix];
  if (sign === undefined || unit === undefined || whole + fraction === '') return undefined;
  const power = exponent === undefined ? unit.power : BigInt(exponent);
  const digits = BigInt(whole + fraction) * (unit.base === 2n ? 2n ** power : 1n);
  const shift = SCALE - BigInt(fraction.length) + (unit.base === 2n ? 0n : power);
  const size = digits * 10n ** shift;
  return sign === '-' ? -size : size;
}
