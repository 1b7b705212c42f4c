import { field, parseJson, isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import {
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  DECISION_PIECE_ANNOTATION,
} from '../../../api/names.js';
import { isList, type StringMap } from '../../selectors.js';
import { sameMap } from '../spec/cluster.js';
import { isDetailName } from '../spec/details.js';

/** The items of a decision object: one for each cluster, with what is said of it beside its name. */

/** Cluster → the time at which it was selected (RFC 3339); a cluster without one has no time. */
export type Since = ReadonlyMap<string, string>;

export const NO_TIMES: Since = new Map();

/** Cluster → the fields of its item that `spec.decisionDetails` names, with their values. */
export type Details = ReadonlyMap<string, StringMap>;

export const NO_DETAILS: Details = new Map();

/** What a decision object lists. */
export interface DecisionContent {
  /** In their order. */
  readonly clusters: readonly string[];
  /** Other clusters may be in it. Absent: the items have no times. */
  readonly since?: Since;
  /** The piece that the object belongs to. Absent: the Placement has no groups. */
  readonly piece?: Piece | undefined;
  /** Other clusters may be in it. Absent: the Placement has none. */
  readonly details?: Details;
}

export function contentOf(
  clusters: readonly string[],
  { since = NO_TIMES, details = NO_DETAILS }: Pick<DecisionContent, 'since' | 'details'> = {},
  piece?: Piece,
): DecisionContent {
  const said = { ...(since.size > 0 && { since }), ...(details.size > 0 && { details }) };
  return { clusters, ...said, ...(piece !== undefined && { piece }) };
}

export interface DecisionItem {
  clusterName: string;
  reason: string;
  group?: string;
  groupIndex?: string;
  since?: string;
  /** The values of labels and claims. */
  [detail: string]: string | undefined;
}

/** What is stored, and whether it has the form in which this controller writes it. */
export interface StoredItems extends Required<Pick<DecisionContent, 'clusters' | 'since' | 'details'>> {
  readonly wellFormed: boolean;
}

/** The items of a status, unchecked, of an object of the piece. Never throws. */
export function readItems(status: unknown, piece: Piece | undefined): StoredItems {
  const [group, groupIndex] = piece === undefined ? [] : [piece.group, String(piece.index)];
  const listed = isRecord(status) ? status['decisions'] : undefined;
  if (!isList(listed)) return { clusters: [], since: NO_TIMES, details: NO_DETAILS, wellFormed: false };
  const clusters: string[] = [];
  const since = new Map<string, string>();
  const details = new Map<string, StringMap>();
  // While an older definition is stored, the API server drops the number from each write.
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
    const said = isRecord(item) ? readFurther(item) : undefined;
    if (said === undefined) wellFormed = false;
    else if (typeof name === 'string' && said.length > 0) details.set(name, Object.fromEntries(said));
  }
  return {
    clusters,
    since: since.size === 0 ? NO_TIMES : since,
    details: details.size === 0 ? NO_DETAILS : details,
    wellFormed,
  };
}

const FIELDS: ReadonlySet<string> = new Set(['clusterName', 'reason', 'group', 'groupIndex', 'since']);

const NONE: readonly (readonly [name: string, value: string])[] = [];

/** The details of an item; undefined where it has another field that this controller does not write. */
function readFurther(item: JsonRecord): readonly (readonly [name: string, value: string])[] | undefined {
  const further = Object.keys(item).filter((name) => !FIELDS.has(name));
  // Of most Placements no item has any.
  if (further.length === 0) return NONE;
  const found = further.flatMap((name) => {
    const value = item[name];
    return isDetailName(name) && typeof value === 'string' ? [[name, value] as const] : [];
  });
  return found.length === further.length ? found : undefined;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** The status that lists the content. */
export function itemsToStore({ clusters, since = NO_TIMES, details = NO_DETAILS, piece }: DecisionContent): {
  numberOfClusters: number;
  decisions: DecisionItem[];
} {
  const of = piece === undefined ? {} : { group: piece.group, groupIndex: String(piece.index) };
  const itemOf = (clusterName: string): DecisionItem => {
    const time = since.get(clusterName);
    return { clusterName, reason: '', ...of, ...(time !== undefined && { since: time }), ...details.get(clusterName) };
  };
  return { numberOfClusters: clusters.length, decisions: clusters.map(itemOf) };
}

const NOTHING: StringMap = {};

/** Whether both list the same clusters in the same order, and say the same of them. */
export function sameContent(a: DecisionContent, b: DecisionContent): boolean {
  if (!sameList(a.clusters, b.clusters) || !samePiece(a.piece, b.piece)) return false;
  const [one, other] = [a.since ?? NO_TIMES, b.since ?? NO_TIMES];
  if (one.size + other.size > 0 && !a.clusters.every((name) => one.get(name) === other.get(name))) return false;
  const [these, those] = [a.details ?? NO_DETAILS, b.details ?? NO_DETAILS];
  if (these.size + those.size === 0) return true;
  return a.clusters.every((name) => sameMap(these.get(name) ?? NOTHING, those.get(name) ?? NOTHING));
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

/** The piece of a group that a decision object belongs to. */
export interface Piece {
  /** The name of the group; empty for the group without a name. */
  readonly group: string;
  /** The number of the piece among those of its group, from 0. With the group it says which piece it is. */
  readonly number: number;
  /** How many clusters were selected when it was begun: what a percentage is taken of. 0: no piece needs the object. */
  readonly selected: number;
  /** clustersPerDecisionGroup, as the spec had it when the piece was cut; undefined where that is not known. */
  readonly size?: number | string | undefined;
  /**
   * Its number among the pieces of all groups, from 0. It changes when an earlier group gets or loses a piece. 0 of a stored piece
   * whose label others have edited: the object is then written again.
   */
  readonly index: number;
}

/** The pieces of decision objects, by ordinal. */
export type Pieces = ReadonlyMap<number, Piece>;

export const NO_PIECES: Pieces = new Map();

/** The labels of the object say what readers need, its annotation what a later decision has to know. Never throws. */
export function readPiece({ metadata }: Pick<KubeObject, 'metadata'>): Piece | undefined {
  const stored = parseJson(metadata.annotations?.[DECISION_PIECE_ANNOTATION] ?? '');
  const [group, number, selected] = [field(stored, 'group'), field(stored, 'number'), field(stored, 'selected')];
  if (typeof group !== 'string' || !isCount(number) || !isCount(selected)) return undefined;
  const [index] = /^\d{1,6}$/.exec(metadata.labels?.[DECISION_GROUP_INDEX_LABEL] ?? '') ?? [];
  const size = field(stored, 'size');
  const known = typeof size === 'number' || typeof size === 'string' ? { size } : {};
  return { group, number, selected, ...known, index: Number(index ?? 0) };
}

/** Bounds what an edited annotation can claim. */
const LARGEST_COUNT = 1_000_000;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LARGEST_COUNT;
}

/** The labels and annotations of an object of the piece; without a piece none of them. */
export function withPiece(
  { labels, annotations }: Pick<KubeObject['metadata'], 'labels' | 'annotations'>,
  piece: Piece | undefined,
): { labels: Record<string, string>; annotations: Record<string, string> } {
  const { [DECISION_GROUP_INDEX_LABEL]: _index, [DECISION_GROUP_NAME_LABEL]: _name, ...others } = labels ?? {};
  const { [DECISION_PIECE_ANNOTATION]: _piece, ...noted } = annotations ?? {};
  if (piece === undefined) return { labels: others, annotations: noted };
  const { group, number, selected, size, index } = piece;
  const label = { [DECISION_GROUP_INDEX_LABEL]: String(index), [DECISION_GROUP_NAME_LABEL]: group };
  const note = { [DECISION_PIECE_ANNOTATION]: JSON.stringify({ group, number, selected, size }) };
  return { labels: { ...others, ...label }, annotations: { ...noted, ...note } };
}

/** Whether labels and annotation of the object are those of the piece; without a piece, whether it has none of them. */
export function hasPieceOf({ metadata }: Pick<KubeObject, 'metadata'>, piece: Piece | undefined): boolean {
  const wanted = withPiece({}, piece);
  return (
    [DECISION_GROUP_INDEX_LABEL, DECISION_GROUP_NAME_LABEL].every(
      (key) => metadata.labels?.[key] === wanted.labels[key],
    ) && metadata.annotations?.[DECISION_PIECE_ANNOTATION] === wanted.annotations[DECISION_PIECE_ANNOTATION]
  );
}

export function samePiece(a: Piece | undefined, b: Piece | undefined): boolean {
  return isSameCut(a, b) && a?.selected === b?.selected && a?.index === b?.index;
}

/** Whether both are the same piece of one group, cut with the same size. */
export function isSameCut(a: Piece | undefined, b: Piece | undefined): boolean {
  return a?.group === b?.group && a?.number === b?.number && a?.size === b?.size;
}
