import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { hash64, hex64 } from '../../hash.js';

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
