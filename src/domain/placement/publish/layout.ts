import { DECISION_SIZE } from '../../../api/names.js';
import { NO_GROUP } from '../spec/groups.js';
import type { Piece, Pieces } from '../stored/items.js';
import type { Slots } from '../select/snapshot.js';
import type { FilledPiece } from './pieces.js';

/**
 * The objects of each piece. A cluster keeps its object as long as it keeps its piece. One that comes from another object is put
 * where it fits beside all clusters that are there now: it stands in both objects until the second write of the first.
 */
export interface Layout {
  /** The list of each object; the last is that of the highest ordinal. */
  readonly slots: Slots;
  /** The piece of each object that has clusters, or belongs to a piece without any. */
  readonly pieces: Pieces;
  /** The piece of an object that has to stay although no piece needs it: the first; undefined without groups. */
  readonly spare: Piece | undefined;
  /** The clusters that leave an object for another one, by ordinal. */
  readonly leaving: ReadonlyMap<number, ReadonlySet<string>>;
}

/** The objects before. */
export interface LaidOut {
  readonly lists: Slots;
  /** Whether an object of this ordinal can be written. */
  readonly isFree: (ordinal: number) => boolean;
  /** The selected clusters that are published. */
  readonly staying: ReadonlySet<string>;
}

/** Distributes the clusters of all pieces to decision objects. `pieces`: as `cutIntoPieces` returns them. */
export function layOut(pieces: readonly FilledPiece[], before: LaidOut): Layout {
  const numbered = pieces.map((piece, index) => ({ ...piece, piece: pieceOf(piece, index) }));
  const arrangement = new Arrangement(before);
  for (const { piece, kept } of numbered) for (const [ordinal, names] of kept) arrangement.keep(ordinal, piece, names);
  arrangement.claim(new Map(numbered.flatMap(({ piece, joining }) => joining.map((name) => [name, piece] as const))));
  for (const { piece } of numbered) arrangement.giveUpEmpty(piece);
  for (const { piece, joining } of numbered) for (const name of joining) arrangement.place(name, piece);
  for (const { piece } of numbered) arrangement.giveUpEmpty(piece);
  return arrangement.layout({ ...(numbered[0]?.piece ?? FIRST), selected: 0 });
}

/** What a decision without clusters has. */
const FIRST: Piece = { group: NO_GROUP, number: 0, selected: 0, index: 0 };

function pieceOf({ group, number, selected, size }: FilledPiece, index: number): Piece {
  return { group, number, selected, size, index };
}

/** The objects while clusters are put into them. */
class Arrangement {
  readonly #before: LaidOut;
  readonly #lists: string[][] = [];
  readonly #pieces = new Map<number, Piece>();
  /** By index of the piece, in ascending order. */
  readonly #ordinals = new Map<number, number[]>();
  /** Where each cluster is put. */
  readonly #placed = new Map<string, number>();
  /** Objects that become those of a piece only when other clusters have left them: nothing comes in before. */
  readonly #closed = new Set<number>();
  /** How many clusters an object holds at most while it is written: those that leave it for another one, too. */
  readonly #load: number[] = [];

  constructor(before: LaidOut) {
    this.#before = before;
    before.lists.forEach((list, index) => {
      this.#load[index + 1] = list.filter((name) => before.staying.has(name)).length;
    });
  }

  keep(ordinal: number, piece: Piece, names: readonly string[]): void {
    this.#assign(ordinal, piece);
    for (const name of names) this.#put(name, ordinal);
  }

  /** An object of no piece becomes one of the piece that the first cluster in it joins; the clusters of that piece stay there. */
  claim(joining: ReadonlyMap<string, Piece>): void {
    this.#before.lists.forEach((list, index) => {
      const ordinal = index + 1;
      if (this.#pieces.has(ordinal) || !this.#before.isFree(ordinal)) return;
      const piece = list.flatMap((name) => (this.#placed.has(name) ? [] : (joining.get(name) ?? [])))[0];
      if (piece === undefined) return;
      this.#assign(ordinal, piece);
      for (const name of list) {
        if (joining.get(name) === piece && !this.#placed.has(name)) this.#put(name, ordinal);
        else if (this.#before.staying.has(name)) this.#closed.add(ordinal);
      }
    });
  }

  /** Puts a cluster that comes from elsewhere into the first object of its piece with room, else into a new one. */
  place(name: string, piece: Piece): void {
    if (this.#placed.has(name)) return;
    const open = this.#ordinals.get(piece.index)?.find((one) => this.#hasRoom(one));
    const ordinal = open ?? this.#begin(piece);
    this.#put(name, ordinal);
    this.#load[ordinal] = (this.#load[ordinal] ?? 0) + 1;
  }

  /** The piece keeps the objects that have clusters, or its first one; any other can be taken by another piece. */
  giveUpEmpty(piece: Piece): void {
    const ordinals = this.#ordinals.get(piece.index) ?? [];
    const filled = ordinals.filter((ordinal) => (this.#lists[ordinal - 1] ?? []).length > 0);
    const kept = filled.length > 0 ? filled : ordinals.slice(0, 1);
    for (const ordinal of ordinals) if (!kept.includes(ordinal)) this.#pieces.delete(ordinal);
    this.#ordinals.set(piece.index, kept);
  }

  layout(spare: Piece): Layout {
    const leaving = new Map<number, ReadonlySet<string>>();
    this.#before.lists.forEach((list, index) => {
      const going = list.filter((name) => this.#before.staying.has(name) && this.#placed.get(name) !== index + 1);
      if (going.length > 0) leaving.set(index + 1, new Set(going));
    });
    return { slots: this.#lists, pieces: this.#pieces, spare, leaving };
  }

  #hasRoom(ordinal: number): boolean {
    return !this.#closed.has(ordinal) && (this.#load[ordinal] ?? 0) < DECISION_SIZE;
  }

  /** The first object that belongs to no piece and holds nothing, or does not exist. */
  #begin(piece: Piece): number {
    let ordinal = 1;
    while (this.#pieces.has(ordinal) || (this.#load[ordinal] ?? 0) > 0 || !this.#before.isFree(ordinal)) ordinal++;
    this.#assign(ordinal, piece);
    return ordinal;
  }

  #assign(ordinal: number, piece: Piece): void {
    this.#pieces.set(ordinal, piece);
    const known = this.#ordinals.get(piece.index) ?? [];
    this.#ordinals.set(
      piece.index,
      [...known, ordinal].sort((a, b) => a - b),
    );
  }

  #put(name: string, ordinal: number): void {
    while (this.#lists.length < ordinal) this.#lists.push([]);
    this.#lists[ordinal - 1]?.push(name);
    this.#placed.set(name, ordinal);
  }
}
