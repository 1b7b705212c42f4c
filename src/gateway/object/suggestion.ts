import { editDistance } from '../../runtime/vocabulary/editdistance.js';

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
