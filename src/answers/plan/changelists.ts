import { byNumbers } from '../../runtime/vocabulary/names.js';
import { grouped } from '../world/world.js';
import type { PlannedPlacement } from './document.js';
import { changeRows, type ChangeRow } from './text.js';

/** The rows that `plan` prints, as lists. */

/** Clusters of which the same becomes: they come in, leave, are held, wait, change their piece, or move later. */
export interface ChangeList {
  readonly sign: '+' | '−' | 'held' | 'waits' | '~' | '→';
  readonly rows: readonly PlannedCluster[];
}

export interface PlannedCluster {
  readonly name: string;
  readonly why: string;
}

/** What `plan` prints of each cluster, those that wait apart. */
export function changeLists(one: PlannedPlacement): readonly ChangeList[] {
  const waiting = new Set(one.held.filter(({ waitsFor }) => waitsFor !== undefined).map(({ name }) => name));
  const lists = grouped(
    changeRows(one),
    ({ sign, name }) => [sign === '!' && waiting.has(name) ? 'waits' : SIGNS[sign]],
    ({ name, text, why }) => ({ name, why: text.includes('→') ? `${text}: ${why}` : why }),
  );
  // Moves stand in the order of their times.
  const sorted = (rows: readonly PlannedCluster[]): readonly PlannedCluster[] =>
    [...rows].sort((a, b) => byNumbers(a.name, b.name));
  return [...lists].map(([sign, rows]) => ({ sign, rows: sign === '→' ? rows : sorted(rows) }));
}

const SIGNS: Readonly<Record<ChangeRow['sign'], ChangeList['sign']>> = {
  '-': '−',
  '!': 'held',
  '+': '+',
  '~': '~',
  '>': '→',
};
