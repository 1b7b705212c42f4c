import { parseQuantity } from '@multicluster-engine/cel/quantity';

/** A number without a suffix that the product of its digits and a power of ten gives exactly. */
const PLAIN = /^\d{1,15}(\.\d{1,9})?$/;

/** A quantity of Kubernetes (`500m`, `16Gi`, `0.35`) as a number; undefined for a value that is none. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  // Most values are plain numbers, and a decision among thousands of clusters reads each of them.
  if (PLAIN.test(value)) return Number(value);
  const nanos = parseQuantity(value)?.nanos;
  return nanos === undefined ? undefined : Number(nanos) / 1e9;
}
