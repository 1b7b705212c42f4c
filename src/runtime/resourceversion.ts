/**
 * Whether resourceVersion `a` is older than `b`. Both are decimal numbers of any length in one collection of one server;
 * what is not is incomparable, and never called older.
 */
export function isOlder(a: string, b: string): boolean {
  if (!isNumber(a) || !isNumber(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Whether `a` is `b` or older. */
export function isNotNewer(a: string, b: string): boolean {
  return a === b || isOlder(a, b);
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
