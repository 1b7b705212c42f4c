import { field, parseJson } from '../../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import {
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  DECISION_PIECE_ANNOTATION,
} from '../../../api/names.js';

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
  /** Its number among the pieces of all groups, from 0. It changes when an earlier group gets or loses a piece. */
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
  const index = metadata.labels?.[DECISION_GROUP_INDEX_LABEL] ?? '';
  const size = field(stored, 'size');
  const known = typeof size === 'number' || typeof size === 'string' ? { size } : {};
  return { group, number, selected, ...known, index: /^\d{1,6}$/.test(index) ? Number(index) : -1 };
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
