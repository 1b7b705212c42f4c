/** Which rows of a long list are drawn: those that are seen, and some before and after. */

export interface Window {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
}

/** Rows beyond each edge. */
const BEYOND = 10;

export function windowOf(
  total: number,
  rowHeight: number,
  seen: { readonly top: number; readonly height: number },
): Window {
  const first = Math.floor(Math.max(seen.top, 0) / rowHeight) - BEYOND;
  const end = Math.ceil((Math.max(seen.top, 0) + seen.height) / rowHeight) + BEYOND;
  const last = Math.max(total, 0);
  return { first: Math.min(Math.max(first, 0), last), end: Math.min(Math.max(end, 0), last) };
}

/** The blocks of `size` rows that a window needs, by their first rows. */
export function blocksOf({ first, end }: Window, size: number): readonly number[] {
  const blocks: number[] = [];
  for (let at = Math.floor(first / size) * size; at < end; at += size) blocks.push(at);
  return blocks;
}

/** The index that a key moves to; undefined for another key. */
export function movedTo(
  key: string,
  at: number,
  { total, page }: { readonly total: number; readonly page: number },
): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: total - 1,
  };
  const to = moves[key];
  return to === undefined || total === 0 ? undefined : Math.min(Math.max(to, 0), total - 1);
}
