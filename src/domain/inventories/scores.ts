import { asRecord, characters, recordsIn } from '../../runtime/vocabulary/json.js';
import type { SourcedClaim, SourcedCluster, SourceObject } from './source.js';

/** The scores that add-ons of Open Cluster Management have of a cluster, as claims `score/RESOURCE/NAME`. */

export interface ScoreClaims {
  readonly claims: readonly SourcedClaim[];
  /** When the first of them expires, in ms since the epoch; undefined for never. */
  readonly until: number | undefined;
}

const PREFIX = 'score/';
/** How many scores of one cluster become claims: the first by name. */
const MOST_SCORES = 64;
const LONGEST_NAME = 253;

/** The claim of the score `name` of the AddOnPlacementScore `resource`. */
export function scoreClaimName(resource: string, name: string): string {
  return `${PREFIX}${resource}/${name}`;
}

/** The claims of the AddOnPlacementScores of one cluster, at `now` (ms since the epoch): none of what has expired or is being deleted. */
export function scoreClaims(objects: readonly SourceObject[], now: number): ScoreClaims {
  const claims = new Map<string, SourcedClaim>();
  let until: number | undefined;
  for (const { metadata, status } of objects) {
    const { scores, validUntil } = asRecord(status);
    const time = typeof validUntil === 'string' ? Date.parse(validUntil) : NaN;
    const end = Number.isNaN(time) ? undefined : time;
    if (metadata.deletionTimestamp !== undefined || (end !== undefined && end <= now)) continue;
    for (const { name, value } of recordsIn(scores)) {
      const claim = scoreClaimName(metadata.name, String(name));
      const isScore = typeof name === 'string' && name !== '' && Number.isInteger(value);
      if (!isScore || characters(claim) > LONGEST_NAME || claims.has(claim)) continue;
      claims.set(claim, { name: claim, value: String(value) });
      if (end !== undefined) until = Math.min(until ?? end, end);
    }
  }
  const sorted = [...claims.values()].sort(byName);
  return { claims: sorted.slice(0, MOST_SCORES), until };
}

/** The claims of scores that a stored cluster has: they stay while the scores cannot be read. */
export function storedScoreClaims(status: unknown): ScoreClaims {
  const claims: SourcedClaim[] = [];
  for (const { name, value } of recordsIn(asRecord(status)['clusterClaims']))
    if (typeof name === 'string' && name.startsWith(PREFIX) && typeof value === 'string') claims.push({ name, value });
  return { claims: claims.sort(byName), until: undefined };
}

/** The cluster with these claims; one that it has of such a name itself is left out. */
export function withScores(cluster: SourcedCluster, { claims }: ScoreClaims): SourcedCluster {
  if (claims.length === 0) return cluster;
  const names = new Set(claims.map(({ name }) => name));
  const own = cluster.claims.filter(({ name }) => !names.has(name));
  return { ...cluster, claims: [...own, ...claims].sort(byName) };
}

function byName(a: SourcedClaim, b: SourcedClaim): number {
  return a.name < b.name ? -1 : 1;
}
