import { nanosOf } from '../../comparison.js';

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
