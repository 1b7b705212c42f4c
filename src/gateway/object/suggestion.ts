/** No field is suggested for a longer name: comparing costs as much as its length times that of each field. */
const MAX_NAME = 64;

/**
 * The existing field to suggest for one that does not exist; undefined when none is similar. Names are compared without
 * regard to case and may differ by at most two edits, names of up to five characters by one. The smallest distance
 * wins, then a field with the same parent, then the first one. `known`: paths with `[]` for the index of an item.
 */
export function suggestField(field: string, known: readonly string[]): string | undefined {
  const wanted = field.replaceAll(/\[\d+\]/g, '[]');
  const [parent, name] = splitPath(wanted);
  if (name.length > MAX_NAME) return undefined;
  let best: { readonly path: string; readonly cost: number } | undefined;
  for (const path of known) {
    const [otherParent, otherName] = splitPath(path);
    const distance = editDistance(name.toLowerCase(), otherName.toLowerCase());
    if (distance > (name.length > 5 ? 2 : 1)) continue;
    const cost = distance * 2 + (parent === otherParent ? 0 : 1);
    if (best === undefined || cost < best.cost) best = { path, cost };
  }
  return best?.path;
}

function splitPath(path: string): [parent: string, name: string] {
  const dot = path.lastIndexOf('.');
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
}

/** Characters to insert, delete, replace or transpose (optimal string alignment distance). */
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
