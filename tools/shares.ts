import { readFileSync } from 'node:fs';
import path from 'node:path';

import { figureOf, readResults, type Figure } from './results.js';
import { INK, rounded, svg, text } from './svg.js';

/** Draws what the CPU time of each row of the bench is spent on, before and after the work on it, as SVG. */

/** Part → percent of the time. */
type Shares = Readonly<Record<string, number>>;

export interface SharesRow {
  readonly name: string;
  readonly before: SharesBar;
  readonly after: SharesBar;
}

export interface SharesBar {
  /** CPU time, ms. */
  readonly ms: number;
  readonly shares: Shares;
}

/** Rows of the bench by their figure. */
const ROWS: Readonly<Record<string, string>> = {
  'start.cpu': 'start, 200 Placements',
  'restart.cpu': 'start, all decided',
  'miss.cpu': 'a label, no decision moves',
  'miss.burst': 'the same, many at once',
  'heartbeat.cpu': 'a status, many at once',
  'heartbeat.paced': 'the same, 10,000 a minute',
  'flip.cpu': 'a label, one decision moves',
  'new.cpu': 'a new Placement',
};
const COLOURS = [
  '#1d4ed8',
  '#b45309',
  '#047857',
  '#93c5fd',
  '#6d28d9',
  '#be123c',
  '#fbbf24',
  '#6b7280',
  '#d1d5db',
] as const;
const AREA = { left: 190, top: 70, width: 400 };
const BAR = { height: 14, gap: 3, row: 46 };

/** The chart of the results of a repository. */
export function performanceShares(root: string): string {
  const file = path.join(root, 'bench', 'placement', 'sharesbefore.json');
  const sharesBefore: Readonly<Record<string, Shares>> = JSON.parse(readFileSync(file, 'utf8'));
  const before = readResults(root, 'placement', 'before.json');
  const shares = readResults(root, 'results', 'placement-shares.json').figures;
  const costs = readResults(root, 'results', 'placement-1000x200.json');
  const rows = Object.entries(ROWS).map(([key, name]): SharesRow => {
    const earlier = sharesBefore[key];
    if (earlier === undefined) throw new Error(`bench: no shares of ${key} before`);
    const now = Object.fromEntries(
      shares.flatMap(({ key: part = '', median }) =>
        part.startsWith(`${key}/`) ? [[part.slice(key.length + 1), median]] : [],
      ),
    );
    const [costBefore, cost] = [msOf(figureOf(before, key)), msOf(figureOf(costs, key))];
    return { name, before: { ms: costBefore, shares: earlier }, after: { ms: cost, shares: now } };
  });
  return drawShares('CPU time of the placement controller for one change, by what it is spent on', rows);
}

function msOf({ median, unit }: Figure): number {
  return median * (unit === 's' ? 1_000 : 1);
}

/** Two bars a row; the one before has the whole width, the one after its share of it. */
export function drawShares(title: string, rows: readonly SharesRow[]): string {
  const parts = [...new Set(rows.flatMap(({ before, after }) => Object.keys({ ...before.shares, ...after.shares })))];
  const colourOf = (part: string): string => COLOURS[parts.indexOf(part) % COLOURS.length] ?? INK;
  const height = AREA.top + rows.length * BAR.row + 10;
  return svg({ title, width: AREA.left + AREA.width + 140, height }, [
    ...parts.flatMap((part, index) => {
      const x = 20 + (index % 5) * 142;
      const y = 16 + Math.floor(index / 5) * 22;
      return [rectangle({ x, y: y - 10, width: 12, height: 12 }, colourOf(part)), text({ x: x + 18, y }, part)];
    }),
    ...rows.flatMap((row, index) => {
      const y = AREA.top + index * BAR.row;
      const scale = AREA.width / Math.max(row.before.ms, row.after.ms);
      return [
        text({ x: AREA.left - 10, y: y + 20, anchor: 'end' }, row.name),
        ...bar(row.before, { y, scale, label: `before: ${rounded2(row.before.ms)} ms` }, colourOf),
        ...bar(row.after, { y: y + BAR.height + BAR.gap, scale, label: `${rounded2(row.after.ms)} ms` }, colourOf),
      ];
    }),
  ]);
}

function bar(
  { ms, shares }: SharesBar,
  { y, scale, label }: { readonly y: number; readonly scale: number; readonly label: string },
  colourOf: (part: string) => string,
): readonly string[] {
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  let x = AREA.left;
  const pieces = Object.entries(shares).map(([part, share]) => {
    const width = (ms * scale * share) / total;
    const piece = rectangle({ x, y, width, height: BAR.height }, colourOf(part));
    x += width;
    return piece;
  });
  return [...pieces, text({ x: x + 6, y: y + 11 }, label)];
}

function rectangle(area: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>, colour: string): string {
  const attributes = Object.entries(area).map(([name, value]) => `${name}="${rounded(value)}"`);
  return `<rect ${attributes.join(' ')} fill="${colour}"/>`;
}

function rounded2(value: number): number {
  return Math.round(value * 100) / 100;
}
