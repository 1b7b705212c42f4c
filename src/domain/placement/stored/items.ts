import { isRecord } from '../../../runtime/vocabulary/json.js';
import { isList } from '../../selectors.js';
import { samePiece, type Piece } from './piece.js';

/** The items of a decision object: one for each cluster, with what is said of it beside its name. */

/** Cluster → the time at which it was selected (RFC 3339); a cluster without one has no time. */
export type Since = ReadonlyMap<string, string>;

export const NO_TIMES: Since = new Map();

/** What a decision object lists. */
export interface DecisionContent {
  /** In their order. */
  readonly clusters: readonly string[];
  /** Other clusters may be in it. Absent: the items have no times. */
  readonly since?: Since;
  /** The piece that the object belongs to. Absent: the Placement has no groups. */
  readonly piece?: Piece | undefined;
}

export function contentOf(clusters: readonly string[], since: Since = NO_TIMES, piece?: Piece): DecisionContent {
  return { clusters, ...(since.size > 0 && { since }), ...(piece !== undefined && { piece }) };
}

export interface DecisionItem {
  clusterName: string;
  reason: string;
  group?: string;
  groupIndex?: string;
  since?: string;
}

/** What is stored, and whether it has the form in which this controller writes it. */
export interface StoredItems extends Required<Pick<DecisionContent, 'clusters' | 'since'>> {
  readonly wellFormed: boolean;
}

/** The items of a status, unchecked, of an object of the piece. Never throws. */
export function readItems(status: unknown, piece: Piece | undefined): StoredItems {
  const [group, groupIndex] = piece === undefined ? [] : [piece.group, String(piece.index)];
  const listed = isRecord(status) ? status['decisions'] : undefined;
  if (!isList(listed)) return { clusters: [], since: NO_TIMES, wellFormed: false };
  const clusters: string[] = [];
  const since = new Map<string, string>();
  // Version 0.1.0 has not written the number. While its definition is stored, the API server drops it from each write.
  const number = isRecord(status) ? status['numberOfClusters'] : undefined;
  let wellFormed = number === undefined || number === listed.length;
  for (const item of listed) {
    const name = isRecord(item) ? item['clusterName'] : undefined;
    const time = isRecord(item) ? item['since'] : undefined;
    if (typeof name === 'string') clusters.push(name);
    if (typeof name === 'string' && isTime(time)) since.set(name, time);
    else if (time !== undefined) wellFormed = false;
    if (typeof name !== 'string' || !isRecord(item) || item['reason'] !== '') wellFormed = false;
    else if (item['group'] !== group || item['groupIndex'] !== groupIndex) wellFormed = false;
  }
  return { clusters, since: since.size === 0 ? NO_TIMES : since, wellFormed };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** The status that lists the content. */
export function itemsToStore({ clusters, since = NO_TIMES, piece }: DecisionContent): {
  numberOfClusters: number;
  decisions: DecisionItem[];
} {
  const of = piece === undefined ? {} : { group: piece.group, groupIndex: String(piece.index) };
  const itemOf = (clusterName: string): DecisionItem => {
    const time = since.get(clusterName);
    return { clusterName, reason: '', ...of, ...(time !== undefined && { since: time }) };
  };
  return { numberOfClusters: clusters.length, decisions: clusters.map(itemOf) };
}

/** Whether both list the same clusters in the same order, and say the same of them. */
export function sameContent(a: DecisionContent, b: DecisionContent): boolean {
  if (!sameList(a.clusters, b.clusters) || !samePiece(a.piece, b.piece)) return false;
  const [one, other] = [a.since ?? NO_TIMES, b.since ?? NO_TIMES];
  return one.size + other.size === 0 || a.clusters.every((name) => one.get(name) === other.get(name));
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
