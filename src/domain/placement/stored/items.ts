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

/** The items of a decision object: one for each cluster, with its name, time, piece and details. */

/** Cluster → the time at which it was selected (RFC 3339); a cluster without one has no time. */
export type Since = ReadonlyMap<string, string>;

export const NO_TIMES: Since = new Map();

/** Cluster → the fields of its item that `spec.decisionDetails` names, with their values. */
export type Details = ReadonlyMap<string, StringMap>;

export const NO_DETAILS: Details = new Map();

/** What a decision object lists. */
export interface DecisionContent {
  /** The clusters, in the order of the items. */
  readonly clusters: readonly string[];
  /** May also have clusters of other objects. Absent: the items have no times. */
  readonly since?: Since;
  /** The piece that the object belongs to. Absent: the Placement has no groups. */
  readonly piece?: Piece | undefined;
  /** May also have clusters of other objects. Absent: the Placement has no `spec.decisionDetails`. */
  readonly details?: Details;
}

/** The content of an object. Empty times and details are left out. */
export function contentOf(
  clusters: readonly string[],
  { since = NO_TIMES, details = NO_DETAILS }: Pick<DecisionContent, 'since' | 'details'> = {},
  piece?: Piece,
): DecisionContent {
  return {
    clusters,
    ...(since.size > 0 && { since }),
    ...(details.size > 0 && { details }),
    ...(piece !== undefined && { piece }),
  };
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

/** The items of a stored decision object. */
export interface StoredItems extends Required<Pick<DecisionContent, 'clusters' | 'since' | 'details'>> {
  /** Whether they have the form in which this controller writes them. */
  readonly wellFormed: boolean;
}

/** Reads the items of a status that anybody may have edited. `piece`: that of the object. Never throws. */
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
    if (!isRecord(item) || typeof item['clusterName'] !== 'string') {
      wellFormed = false;
      continue;
    }
    const { clusterName: name, since: time } = item;
    clusters.push(name);
    if (isTime(time)) since.set(name, time);
    else if (time !== undefined) wellFormed = false;
    if (item['reason'] !== '' || item['group'] !== group || item['groupIndex'] !== groupIndex) wellFormed = false;
    const itemDetails = readDetails(item);
    if (itemDetails === undefined) wellFormed = false;
    else if (itemDetails.length > 0) details.set(name, Object.fromEntries(itemDetails));
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

/** The details of an item; undefined where it has a field that this controller does not write. */
function readDetails(item: JsonRecord): readonly (readonly [name: string, value: string])[] | undefined {
  const names = Object.keys(item).filter((name) => !FIELDS.has(name));
  // Most Placements have no details.
  if (names.length === 0) return NONE;
  const found = names.flatMap((name) => {
    const value = item[name];
    return isDetailName(name) && typeof value === 'string' ? [[name, value] as const] : [];
  });
  return found.length === names.length ? found : undefined;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** The status that lists the content. */
export function itemsToStore({ clusters, since = NO_TIMES, details = NO_DETAILS, piece }: DecisionContent): {
  numberOfClusters: number;
  decisions: DecisionItem[];
} {
  const pieceFields = piece === undefined ? {} : { group: piece.group, groupIndex: String(piece.index) };
  const itemOf = (clusterName: string): DecisionItem => {
    const time = since.get(clusterName);
    const sinceField = time === undefined ? {} : { since: time };
    return { clusterName, reason: '', ...pieceFields, ...sinceField, ...details.get(clusterName) };
  };
  return { numberOfClusters: clusters.length, decisions: clusters.map(itemOf) };
}

const NOTHING: StringMap = {};

/** Whether both have the same clusters in the same order, with the same times, details and piece. */
export function sameContent(a: DecisionContent, b: DecisionContent): boolean {
  if (!sameList(a.clusters, b.clusters) || !samePiece(a.piece, b.piece)) return false;
  const [sinceA, sinceB] = [a.since ?? NO_TIMES, b.since ?? NO_TIMES];
  if (sinceA.size + sinceB.size > 0 && !a.clusters.every((name) => sinceA.get(name) === sinceB.get(name))) return false;
  const [detailsA, detailsB] = [a.details ?? NO_DETAILS, b.details ?? NO_DETAILS];
  if (detailsA.size + detailsB.size === 0) return true;
  return a.clusters.every((name) => sameMap(detailsA.get(name) ?? NOTHING, detailsB.get(name) ?? NOTHING));
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
  /** How many clusters the decision had when the piece was begun; a percentage in `size` is of this. 0: no piece needs the object. */
  readonly selected: number;
  /** clustersPerDecisionGroup of the spec when the piece was begun; undefined where that is not known. */
  readonly size?: number | string | undefined;
  /**
   * The number of the piece among those of all groups, from 0. It changes when an earlier group gets or loses a piece. A stored piece
   * whose label somebody has edited has 0, so that the object is written again.
   */
  readonly index: number;
}

/** The pieces of decision objects, by ordinal. */
export type Pieces = ReadonlyMap<number, Piece>;

export const NO_PIECES: Pieces = new Map();

/** The piece of an object, from its annotation and a label, which anybody may have edited. Never throws. */
export function readPiece({ metadata }: Pick<KubeObject, 'metadata'>): Piece | undefined {
  const text = metadata.annotations?.[DECISION_PIECE_ANNOTATION];
  // Of most Placements no object has it.
  if (text === undefined) return undefined;
  const stored = parseJson(text);
  const [group, number, selected] = [field(stored, 'group'), field(stored, 'number'), field(stored, 'selected')];
  if (typeof group !== 'string' || !isCount(number) || !isCount(selected)) return undefined;
  const [index] = /^\d{1,6}$/.exec(metadata.labels?.[DECISION_GROUP_INDEX_LABEL] ?? '') ?? [];
  const size = field(stored, 'size');
  const known = typeof size === 'number' || typeof size === 'string' ? { size } : {};
  return { group, number, selected, ...known, index: Number(index ?? 0) };
}

/** A larger number in the annotation counts as edited. */
const LARGEST_COUNT = 1_000_000;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LARGEST_COUNT;
}

/** The metadata with the labels and the annotation of the piece: labels for readers, the annotation for the next decision. */
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

/** Whether the object has the labels and the annotation of the piece or, without a piece, none of them. */
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
