/**
 * Whether resourceVersion `a` is older than `b`. Versions of one collection of one server are decimal numbers of any
 * length; any other text and a missing version are incomparable, hence never older.
 */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Whether `a` is `b` or older. */
export function isNotNewer(a: string, b: string): boolean {
  return a === b || isOlder(a, b);
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
