let count = 0;

/**
 * A unique DNS label for tests that share a server: the prefix, the Jest worker, the time of day and a running number.
 */
export function ownName(prefix: string): string {
  count += 1;
  const worker = process.env['JEST_WORKER_ID'] ?? '0';
  return `${prefix}-${worker}-${(Date.now() % 86_400_000).toString(36)}-${count}`;
}
