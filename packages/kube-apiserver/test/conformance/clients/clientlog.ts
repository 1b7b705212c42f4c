/** Fields that the server sets and whose values differ between runs. */
const SERVER_SET: ReadonlySet<string> = new Set([
  'clusterIP',
  'clusterIPs',
  'continue',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'resourceVersion',
  'time',
  'token',
  'uid',
]);

/** uids in messages; not the zero uid, which the tests send. */
const UID = /(?!0{8})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The results of a client, one line each, so that the results on two servers can be compared. */
export class ClientLog {
  readonly lines: string[] = [];

  /** Adds a line. Keys of objects are sorted, and values that the server sets are masked. */
  add(what: string, value: unknown = ''): void {
    const text = typeof value === 'string' ? value : JSON.stringify(stable(value));
    this.lines.push(`${what}: ${text.replaceAll(UID, 'UID')}`);
  }
}

function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  return Object.fromEntries(
    entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, held]) => [key, SERVER_SET.has(key) ? key.toUpperCase() : stable(held)]),
  );
}
