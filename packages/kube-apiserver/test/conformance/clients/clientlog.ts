/** Fields that a server makes up: when, who, which version. What they hold differs from run to run. */
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

/** Within messages; not the one that is all zeros, which clients make up. */
const UID = /(?!0{8})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What a client saw, one line a finding, so that the findings of two servers can be held against each other. */
export class ClientLog {
  readonly lines: string[] = [];

  /** Objects are written with their keys in order and without what the server made up. */
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
