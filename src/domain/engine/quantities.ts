import { parseQuantity } from '@multicluster-engine/values/quantity';

/**
 * Whether two quantities of Kubernetes (`500m`, `0.5`, `128Mi`, `1e3`) have the same value; texts that are no quantities
 * are compared as texts.
 */
export function sameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = nanosOf(a);
  return left !== undefined && left === nanosOf(b);
}

/** Whether `a` is more than `b`; false where one of them is no quantity. */
export function isMore(a: unknown, b: unknown): boolean {
  const [left, right] = [nanosOf(a), nanosOf(b)];
  return left !== undefined && right !== undefined && left > right;
}

function nanosOf(value: unknown): bigint | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value))?.nanos : undefined;
}
