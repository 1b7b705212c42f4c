import type { ResourceType } from '../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../api/resources.js';
import type { WorldResource } from './world/world.js';

/** The kinds of the objects that a command line names, and their names. */

/** A kind, by the names that kubectl takes. */
export interface NamedKind {
  readonly resource: WorldResource;
  readonly type: ResourceType;
  readonly shortNames: readonly [string, ...string[]];
}

export const KINDS: readonly NamedKind[] = [
  { resource: 'placements', type: Placements, shortNames: ['fpl'] },
  { resource: 'managedclusters', type: ManagedClusters, shortNames: ['mcl', 'fmcl'] },
  { resource: 'managedclustersets', type: ManagedClusterSets, shortNames: ['mclset', 'fmclset'] },
  {
    resource: 'managedclustersetbindings',
    type: ManagedClusterSetBindings,
    shortNames: ['mclsetbinding', 'fmclsetbinding'],
  },
];

/** The kind of a name that kubectl takes. */
export function findKind(text: string): NamedKind | undefined {
  const word = text.toLowerCase();
  return KINDS.find((one) => namesOf(one).includes(word));
}

/** Plural, singular and short names, each with the group or without. */
function namesOf({ type, shortNames }: NamedKind): readonly string[] {
  const names = [type.plural, type.kind.toLowerCase(), ...shortNames];
  return names.flatMap((name) => [name, `${name}.${type.group}`, `${name}.${type.version}.${type.group}`]);
}

/**
 * The name in `TYPE NAME` or `TYPE/NAME`, as kubectl takes it and `-o name` prints it; undefined for other words. The name is
 * not checked.
 */
export function nameAfterKind(words: readonly string[], { kind }: ResourceType): string | undefined {
  const [type = '', name = '', ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  return name !== '' && more.length === 0 && findKind(type)?.type.kind === kind ? name : undefined;
}

/** As {@link nameAfterKind}, or NAME alone. */
export function nameAmong(words: readonly string[], type: ResourceType): string | undefined {
  return nameAfterKind(words, type) ?? (words.length === 1 ? words[0] : undefined);
}
