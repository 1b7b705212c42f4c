import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { hash64, hex64 } from '../../hash.js';
import { quote, readObject, readWhole, reject } from '../../selectors.js';

/** `spec.disruptionBudget`: how many clusters may leave or come in within a window. One of the two limits is there. */
export interface DisruptionBudget {
  /** How many may be removed because they fail a rule; undefined: any number. */
  readonly maxRemovals: Limit | undefined;
  /** How many may come in beyond what fills up an unchanged numberOfClusters; undefined: any number. */
  readonly maxAdditions: Limit | undefined;
  /** From 60 to 604800. */
  readonly windowSeconds: number;
}

export interface Limit {
  readonly unit: 'clusters' | 'percent';
  readonly value: number;
}

const LARGEST_NUMBER = 2 ** 31 - 1;
const DEFAULT_WINDOW = 3600;
const SHORTEST_WINDOW = 60;
const LONGEST_WINDOW = 604_800;
const PERCENTAGE = /^([0-9]|[1-9][0-9]|100)%$/;

/** The budget of a spec, inside a `parse`; undefined without one. */
export function readBudget(value: unknown, path: string): DisruptionBudget | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = readObject(value, path);
  const maxRemovals = readLimit(fields['maxRemovals'], `${path}.maxRemovals`);
  const maxAdditions = readLimit(fields['maxAdditions'], `${path}.maxAdditions`);
  if (maxRemovals === undefined && maxAdditions === undefined)
    return reject(path, `${quote(value)} bounds nothing: maxRemovals or maxAdditions is required`);
  const windowSeconds = readWhole(fields['windowSeconds'], `${path}.windowSeconds`, SHORTEST_WINDOW, LONGEST_WINDOW);
  return { maxRemovals, maxAdditions, windowSeconds: windowSeconds ?? DEFAULT_WINDOW };
}

function readLimit(value: unknown, path: string): Limit | undefined {
  if (value === undefined || value === null) return undefined;
  return limitIn(value, 0) ?? reject(path, `${quote(value)} is not ${limitRule(0)}`);
}

/** A number of clusters or a percentage, of at least `least`; undefined for any other value. */
export function limitIn(value: unknown, least: 0 | 1): Limit | undefined {
  const isPercentage = typeof value === 'string' && PERCENTAGE.test(value);
  const count = isPercentage ? Number.parseInt(value, 10) : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < least || count > LARGEST_NUMBER)
    return undefined;
  return { unit: isPercentage ? 'percent' : 'clusters', value: count };
}

/** What {@link limitIn} takes. */
export function limitRule(least: 0 | 1): string {
  return `a whole number from ${least} to ${LARGEST_NUMBER} without quotes, or a percentage from ${least}% to 100%`;
}

/** How many of `base` clusters the limit allows; a percentage is rounded up, as in a PodDisruptionBudget. */
export function allowed({ unit, value }: Limit, base: number): number {
  return unit === 'percent' ? Math.ceil((base * value) / 100) : value;
}

/** What {@link allowed} leaves after `used`; nothing where that is not known. */
export function leftOf(limit: Limit, base: number, used: number | undefined): number {
  return used === undefined ? 0 : allowed(limit, base) - used;
}

/** The limit as in the spec: 3, 10%. */
export function limitValue({ unit, value }: Limit): number | string {
  return unit === 'percent' ? `${value}%` : value;
}

/**
 * The annotation of a Placement that releases clusters: `<until>/<names or *>`, or `<until>/~<digests of names>` where the names
 * would not fit. All annotations of an object have 262144 bytes together, which a thousand long names exceed.
 */
export interface Release {
  /** Ms since the epoch; the clusters are released while it is earlier. */
  readonly until: number;
  /** Names of clusters, or their digests; undefined for all. */
  readonly clusters: ReadonlySet<string> | undefined;
  /** Whether `clusters` are digests. */
  readonly isDigested: boolean;
  /** The same for the same text of the annotation, else another: 16 hexadecimal digits. */
  readonly id: string;
}

const TIME_SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]\d{2}:\d{2})$/;
/** The names of a release are readable while they have at most as many characters. */
const NAMES_LIMIT = 16_384;
const DIGEST_MARK = '~';
const DIGEST_SIZE = 8;
const DIGESTS_SHAPE = /^([\w-]{8})+$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Nothing bounds what is released: a forgotten release ends by itself within a day. */
export const LONGEST_RELEASE_MS = 24 * 3_600_000;
export const LONGEST_RELEASE = `${LONGEST_RELEASE_MS / 3_600_000}h`;
/** Where nobody says how long. */
export const USUAL_RELEASE_MS = 600_000;
export const USUAL_RELEASE = `${USUAL_RELEASE_MS / 60_000}m`;
/** A release names at most as many clusters: 96 KiB of digests. */
export const MOST_RELEASED = 12_288;

/** Reads the annotation, a time by RFC 3339 and names; undefined, which releases nothing, for any other text. */
export function readRelease(text: string | undefined): Release | undefined {
  const slash = text?.indexOf('/') ?? -1;
  if (text === undefined || slash < 0) return undefined;
  const time = text.slice(0, slash).trim();
  const until = TIME_SHAPE.test(time) ? Date.parse(time) : NaN;
  if (Number.isNaN(until)) return undefined;
  const list = text.slice(slash + 1).trim();
  const id = hex64(hash64(text));
  if (list.startsWith(DIGEST_MARK)) {
    const clusters = readDigests(list.slice(DIGEST_MARK.length));
    return clusters && { until, clusters, isDigested: true, id };
  }
  const names = list.split(',').map((name) => name.trim());
  return { until, clusters: names.includes('*') ? undefined : new Set(names), isDigested: false, id };
}

/** The annotation that releases these clusters, or `*`; undefined for more than {@link MOST_RELEASED}. */
export function releaseText(until: number, clusters: readonly string[]): string | undefined {
  const names = clusters.join(',');
  if (names.length <= NAMES_LIMIT) return `${timestamp(until)}/${names}`;
  if (clusters.length > MOST_RELEASED) return undefined;
  return `${timestamp(until)}/${DIGEST_MARK}${clusters.map(digestOf).join('')}`;
}

/** Whether the cluster is released at `now` (ms since the epoch). */
export function isReleased(release: Release | undefined, cluster: string, now: number): boolean {
  if (release === undefined || now >= release.until) return false;
  const { clusters, isDigested } = release;
  return clusters === undefined || clusters.has(isDigested ? digestOf(cluster) : cluster);
}

function readDigests(text: string): ReadonlySet<string> | undefined {
  if (!DIGESTS_SHAPE.test(text)) return undefined;
  const digests = new Set<string>();
  for (let at = 0; at < text.length; at += DIGEST_SIZE) digests.add(text.slice(at, at + DIGEST_SIZE));
  return digests;
}

/** 48 bits of the hash of a name, as eight characters. */
function digestOf(name: string): string {
  const { high, low } = hash64(name);
  return digits(high) + digits(low);
}

/** The lower 24 bits. */
function digits(bits: number): string {
  return [18, 12, 6, 0].map((shift) => ALPHABET[(bits >>> shift) & 63]).join('');
}
