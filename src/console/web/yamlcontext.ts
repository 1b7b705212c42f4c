/** Where the caret of an editor stands in a YAML text: enough for completion, without a parser. */

export interface YamlContext {
  /** The keys above the caret, without the items of lists: `spec`, `predicates`. */
  readonly path: readonly string[];
  /** Whether a value is typed, and of which key; undefined for a key. */
  readonly valueOf: string | undefined;
  /** What was typed of it before the caret. */
  readonly typed: string;
}

/** Block style alone; undefined in a comment, or where the line is no block mapping. */
export function contextAt(text: string, caret: number): YamlContext | undefined {
  const before = text.slice(0, caret).split('\n');
  const line = before.pop() ?? '';
  if (/(^|\s)#/.test(line)) return undefined;
  const [, indent = '', rest = ''] = /^([\s-]*)(.*)$/.exec(line) ?? [];
  const path = keysAbove(before, indent.length);
  const [, key, value = ''] = /^([^:\s]+):\s+(.*)$/.exec(rest) ?? [];
  if (key !== undefined) return { path, valueOf: key, typed: lastItem(value) };
  if (/^\s*-/.test(line)) {
    const owner = path.at(-1);
    const isPlain = owner !== undefined && LISTS_OF_VALUES.has(owner);
    if (isPlain) return { path: path.slice(0, -1), valueOf: owner, typed: rest };
  }
  return /[:{}[\]]/.test(rest) ? undefined : { path, valueOf: undefined, typed: rest };
}

/** Keys whose items are texts. */
const LISTS_OF_VALUES = new Set(['values', 'ClusterSets']);

/** In `[a, b` the value is `b`. */
function lastItem(value: string): string {
  return value.startsWith('[') ? (value.slice(1).split(',').pop() ?? '').trimStart() : value;
}

/** The keys of the lines above that are less indented, the outermost first. A new document begins anew. */
function keysAbove(lines: readonly string[], indent: number): readonly string[] {
  const keys: string[] = [];
  let least = indent;
  for (const line of [...lines].reverse()) {
    if (line.startsWith('---')) break;
    const [, lead = '', key] = /^([\s-]*)([^\s:#-][^\s:]*):(\s|$)/.exec(line) ?? [];
    if (key === undefined || lead.length >= least) continue;
    keys.unshift(key);
    least = lead.length;
  }
  return keys;
}
