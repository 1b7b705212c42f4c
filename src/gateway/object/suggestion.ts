/** Longer names are no slips of a pen. */
const MAX_NAME = 64;

/**
 * The field that is likely meant by one that does not exist: of those whose last name is the same but for the case, or
 * has at most two slips (one in a short name), the one with the fewest, then the one at the same place, then the first.
 * `known`: paths with `[]` for the number of an item.
 */
export function suggestField(field: string, known: readonly string[]): string | undefined {
  const wanted = field.replaceAll(/\[\d+\]/g, '[]');
  const [place, name] = splitPath(wanted);
  if (name.length > MAX_NAME) return undefined;
  let best: { readonly path: string; readonly cost: number } | undefined;
  for (const path of known) {
    const [otherPlace, otherName] = splitPath(path);
    const slips = editDistance(name.toLowerCase(), otherName.toLowerCase());
    if (slips > (name.length > 5 ? 2 : 1)) continue;
    const cost = slips * 2 + (place === otherPlace ? 0 : 1);
    if (best === undefined || cost < best.cost) best = { path, cost };
  }
  return best?.path;
}

function splitPath(path: string): [place: string, name: string] {
  const dot = path.lastIndexOf('.');
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
}

/** Letters to insert, drop, replace or swap with their neighbour (Damerau and Levenshtein, without moves across). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const least = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      next.push(swapped ? Math.min(least, (before[column - 2] ?? 0) + 1) : least);
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
