import { allowed, limitValue } from '../spec/budget.js';
import { groupOf, NO_GROUP, type GroupStrategy } from '../spec/groups.js';
import { comingIn, type Decision } from '../select/decision.js';
import type { PlacementSnapshot, Slots } from '../select/snapshot.js';
import type { Piece, Pieces } from '../stored/items.js';

/**
 * Which piece of its group each selected cluster belongs to. It keeps its piece for as long as it is selected, its group does
 * not change, and nobody edits the size of pieces; any other fills the first piece of its group that has room, in the order of the
 * pieces before. It does not depend on objects: `layout.ts` gives each piece its objects.
 */

/** A piece and its clusters. Its index is not known before all groups are cut. */
export interface FilledPiece extends Omit<Piece, 'index'> {
  /** Those that keep the piece, by their object, in their order there. */
  readonly kept: ReadonlyMap<number, readonly string[]>;
  /** Those that are new in it, in the order in which they fill it. */
  readonly joining: readonly string[];
}

interface OpenPiece {
  readonly group: string;
  readonly number: number;
  selected: number;
  readonly kept: Map<number, string[]>;
  readonly joining: string[];
  count: number;
}

/** What pieces are made of. */
export interface PieceInput {
  readonly strategy: GroupStrategy;
  readonly snapshot: PlacementSnapshot;
  readonly decision: Decision;
  /** The lists that are published; a cluster may be in two of them. */
  readonly lists: Slots;
  /** The pieces of the objects of these lists. */
  readonly pieces: Pieces;
}

/** The pieces by group in the order of the spec, each group without empty pieces at its end. */
export function cutIntoPieces(input: PieceInput): readonly FilledPiece[] {
  const { decision, snapshot, strategy } = input;
  const [staying, added] = [decision.kept.flat(), comingIn(decision)];
  const cut = new Cut(strategy, staying.length + added.length);
  const homes = homesOf(input, staying);
  for (const [ordinal, piece] of input.pieces) if (isOfSize(piece, strategy)) cut.know(piece, ordinal);
  input.lists.forEach((list, index) => {
    for (const name of list) {
      const home = homes.get(name);
      if (home?.stays === true && home.ordinal === index + 1) cut.keep(name, home.piece, home.ordinal);
    }
  });
  const numberOf = (name: string): number => homes.get(name)?.piece.number ?? 0;
  const joining = staying.filter((name) => homes.get(name)?.stays !== true);
  for (const name of joining.sort((a, b) => numberOf(a) - numberOf(b)))
    cut.join(name, groupIn(input, name, homes.get(name)?.piece));
  for (const name of added) {
    const view = snapshot.candidates.view(name);
    cut.join(name, view === undefined ? NO_GROUP : groupOf(strategy, view));
  }
  return cut.pieces();
}

/** Who edits the size asks for other pieces. */
function isOfSize({ size }: Piece, strategy: GroupStrategy): boolean {
  return size === undefined || size === limitValue(strategy.size);
}

interface Home {
  readonly piece: Piece;
  readonly ordinal: number;
  /** Whether the cluster keeps the piece. */
  readonly stays: boolean;
}

/** The object of each selected cluster: of several the one whose piece it keeps, of those that of the first piece, and of that the first. */
function homesOf(input: PieceInput, selected: readonly string[]): ReadonlyMap<string, Home> {
  const staying = new Set(selected);
  const homes = new Map<string, Home>();
  input.lists.forEach((list, index) => {
    const piece = input.pieces.get(index + 1);
    if (piece === undefined) return;
    for (const name of list.filter((one) => staying.has(one))) {
      const stays = isOfSize(piece, input.strategy) && groupIn(input, name, piece) === piece.group;
      const known = homes.get(name);
      const isFirst = known === undefined || (known.stays === stays ? piece.number < known.piece.number : stays);
      if (isFirst) homes.set(name, { piece, ordinal: index + 1, stays });
    }
  });
  return homes;
}

/** The group of a selected cluster. One that does not exist any more and is held stays in the group that it was in, while there is one. */
function groupIn({ snapshot, strategy }: PieceInput, name: string, piece: Piece | undefined): string {
  const view = snapshot.selected.get(name);
  if (view !== undefined) return groupOf(strategy, view);
  return strategy.groups.find((one) => one.name === piece?.group)?.name ?? NO_GROUP;
}

class Cut {
  readonly #strategy: GroupStrategy;
  readonly #selected: number;
  /** Group → its pieces by their numbers. */
  readonly #groups: ReadonlyMap<string, OpenPiece[]>;

  constructor(strategy: GroupStrategy, selected: number) {
    this.#strategy = strategy;
    this.#selected = selected;
    this.#groups = new Map([...strategy.groups.map(({ name }) => name), NO_GROUP].map((name) => [name, []]));
  }

  /** A piece that exists, with or without clusters. */
  know({ group, number, selected }: Piece, ordinal: number): void {
    const piece = this.#piece(group, number);
    if (piece !== undefined && piece.kept.size === 0) piece.selected = selected;
    piece?.kept.set(ordinal, []);
  }

  /**
   * Keeps the cluster in its piece. If the piece has several objects, the first that keeps a cluster says its size at the
   * beginning.
   */
  keep(name: string, { group, number, selected }: Piece, ordinal: number): void {
    const piece = this.#piece(group, number);
    if (piece === undefined) return;
    if (piece.count === 0) piece.selected = selected;
    piece.kept.get(ordinal)?.push(name);
    piece.count += 1;
  }

  /** Puts the cluster into the first piece that has room. A piece without clusters is begun anew. */
  join(name: string, group: string): void {
    const pieces = this.#groups.get(group) ?? [];
    const open = pieces.find((one) => one.count < this.#room(one)) ?? this.#piece(group, pieces.length);
    if (open === undefined) return;
    if (open.count === 0) open.selected = this.#selected;
    open.joining.push(name);
    open.count += 1;
  }

  /** A number that no object has, as others may have edited one, is not kept. */
  pieces(): readonly FilledPiece[] {
    return [...this.#groups.values()].flatMap((all) => {
      const used = all.slice(0, all.findLastIndex(({ count }) => count > 0) + 1);
      const existing = used.filter(({ count, kept }) => count > 0 || kept.size > 0);
      return existing.map((piece, number) => ({ ...piece, number, size: limitValue(this.#strategy.size) }));
    });
  }

  /** The piece with this number; it and those before it are made where they do not exist. Undefined for no group of the spec. */
  #piece(group: string, number: number): OpenPiece | undefined {
    const pieces = this.#groups.get(group);
    if (pieces === undefined) return undefined;
    for (let next = pieces.length; next <= number; next++)
      pieces.push({ group, number: next, selected: this.#selected, kept: new Map(), joining: [], count: 0 });
    return pieces[number];
  }

  /** How many clusters the piece may have: a percentage is of those selected when it was begun, and never more than of now. */
  #room({ count, selected }: OpenPiece): number {
    const { size } = this.#strategy;
    if (size.unit === 'percent' && size.value === 100) return Infinity;
    const begun = count === 0 ? this.#selected : selected;
    return Math.max(allowed(size, Math.min(begun, this.#selected)), 1);
  }
}
