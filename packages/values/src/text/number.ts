/** `%g` writes exponents from this exponent on and below -4. */
const LARGE = 6;

/** Formats a double with Go's `%g`: the shortest text that parses to the same value. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '0', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < LARGE) return plain(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Formats without an exponent, which JavaScript uses below 1e-6. */
function plain(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** Formats a finite double with a fixed number of digits, exactly rounded, ties to even. */
export function fixedDigits(value: number, precision: number): string {
  const { mantissa, exponent } = parts(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(precision);
  const rounded = exponent >= 0n ? scaled << exponent : halfEven(scaled, -exponent);
  const digits = rounded.toString().padStart(precision + 1, '0');
  const text = precision === 0 ? digits : `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
  return value < 0 || Object.is(value, -0) ? `-${text}` : text;
}

/** The value is mantissa × 2^exponent. */
function parts(value: number): { mantissa: bigint; exponent: bigint } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const whole = bits.getBigUint64(0);
  const exponent = whole >> 52n;
  const fraction = whole & ((1n << 52n) - 1n);
  return exponent === 0n
    ? { mantissa: fraction, exponent: -1074n }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075n };
}

/** Divides by 2^shift and rounds ties to even. */
function halfEven(value: bigint, shift: bigint): bigint {
  const floor = value >> shift;
  const rest = value - (floor << shift);
  const half = 1n << (shift - 1n);
  return rest > half || (rest === half && (floor & 1n) === 1n) ? floor + 1n : floor;
}
