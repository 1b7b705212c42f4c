/** The annotation `cluster.fleetmgmt.io/allow-removals` of a Placement: `<until>/<names or *>`. */
export interface Release {
  /** Ms since the epoch; the clusters are released while it is earlier. */
  readonly until: number;
  /** Names of clusters; undefined for all. */
  readonly clusters: ReadonlySet<string> | undefined;
}

const TIME_SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]\d{2}:\d{2})$/;

/** Reads the annotation, a time by RFC 3339 and names with commas; undefined, which releases nothing, for any other text. */
export function readRelease(text: string | undefined): Release | undefined {
  const slash = text?.indexOf('/') ?? -1;
  if (text === undefined || slash < 0) return undefined;
  const time = text.slice(0, slash).trim();
  const until = TIME_SHAPE.test(time) ? Date.parse(time) : NaN;
  if (Number.isNaN(until)) return undefined;
  const names = text
    .slice(slash + 1)
    .split(',')
    .map((name) => name.trim());
  return { until, clusters: names.includes('*') ? undefined : new Set(names) };
}

/** Whether the cluster is released at `now` (ms since the epoch). */
export function isReleased(release: Release | undefined, cluster: string, now: number): boolean {
  if (release === undefined || now >= release.until) return false;
  return release.clusters === undefined || release.clusters.has(cluster);
}
