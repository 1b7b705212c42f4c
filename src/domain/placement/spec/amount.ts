import { parseQuantity } from '@multicluster-engine/cel/quantity';

/** A number without a suffix. */
const PLAIN = /^\d{1,15}(\.\d{1,9})?$/;
/** A number with a binary suffix: a power of two changes no digit of it. */
const BINARY = /^(\d{1,15})([KMGTPE])i$/;
const EXPONENTS = 'KMGTPE';

/**
 * A quantity of Kubernetes (`500m`, `16Gi`, `0.35`) as a number; undefined for a text that is none. It is the nearest number, so
 * that equal quantities are equal whatever suffix they have.
 */
export function amountOf(text: string): number | undefined {
  // Most values are of these forms, and a decision among thousands of clusters reads each of them.
  if (PLAIN.test(text)) return Number(text);
  const [, digits, suffix] = BINARY.exec(text) ?? [];
  if (digits !== undefined && suffix !== undefined) return Number(digits) * 1024 ** (EXPONENTS.indexOf(suffix) + 1);
  const nanos = parseQuantity(text)?.nanos;
  return nanos === undefined ? undefined : Number(nanos) / 1e9;
}
