import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const WILD = /[*?[\\]/;
const TOKEN = /\\(?<escaped>.)|\[(?<not>\^?)(?<set>(?:\\.|[^\]\\])+)\]|(?<many>\*)|(?<one>\?)|(?<other>.)/gsu;

/** The paths that a pattern of the shell matches, in order, by the rules of Go's `filepath.Glob`; none for a path without one. */
export function matchingPaths(pattern: string): readonly string[] {
  if (!WILD.test(pattern)) return [];
  const start = path.isAbsolute(pattern) ? [path.sep] : [''];
  const found = pattern.split(path.sep).reduce<readonly string[]>((places, part) => {
    if (part === '') return places;
    if (!WILD.test(part)) return places.map((place) => path.join(place, part));
    const matcher = new RegExp(`^${part.replaceAll(TOKEN, source)}$`, 'su');
    return places.flatMap((place) =>
      namesIn(place)
        .filter((name) => matcher.test(name))
        .map((name) => path.join(place, name)),
    );
  }, start);
  return found.filter((place) => existsSync(place));
}

function source(...found: readonly unknown[]): string {
  const { escaped, not = '', set, many, one, other } = found.at(-1) as Readonly<Record<string, string | undefined>>;
  if (many !== undefined) return '.*';
  if (one !== undefined) return '.';
  if (set !== undefined) return `[${not}${set.replaceAll(/\\?([[&~|^])/g, '\\$1')}]`;
  return (escaped ?? other ?? '').replaceAll(/[\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** What cannot be read matches nothing. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort();
  } catch {
    return [];
  }
}
