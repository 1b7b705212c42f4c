import { keyOf } from '../../runtime/vocabulary/names.js';
import type { FleetLosses } from '../../answers/plan/loseeach.js';
import type { ConcernedPlacement } from '../../answers/plan/loss.js';
import type { Heat, HeatCell } from '../wire/plan.js';

/** The loss of each value of a key as a table: values against the Placements that it hurts. */

/** So many are sent: a table of more is read by `-o json`. */
const MOST_ROWS = 40;
const MOST_COLUMNS = 12;

const WEIGHTS: Readonly<Record<HeatCell['effect'], number>> = { Empty: 10_000, Short: 100, Moves: 1 };

/** The values come in the order of the losses, the worst first; so do the Placements. */
export function heatOf(
  { key: { source, name }, values }: Pick<FleetLosses, 'key' | 'values'>,
  notes: Heat['notes'],
): Heat {
  const key = `${source}/${name}`;
  const columns = columnsOf(values);
  const shown = columns.slice(0, MOST_COLUMNS);
  return {
    key,
    columns: shown.map(({ namespace, name: placement }) => ({ namespace, name: placement })),
    columnsTotal: columns.length,
    rows: values.slice(0, MOST_ROWS).map(({ value, clusters, placements }) => {
      const byName = new Map(placements.map((one) => [keyOf(one), one]));
      return { value, target: `${key}=${value}`, clusters, cells: shown.map((one) => cellOf(byName.get(keyOf(one)))) };
    }),
    rowsTotal: values.length,
    notes,
  };
}

function cellOf(one: ConcernedPlacement | undefined): HeatCell | null {
  return one === undefined ? null : { effect: one.effect, ...one.selected };
}

/** The Placements that some value hurts: those that are empty without most values first. */
function columnsOf(values: FleetLosses['values']): readonly ConcernedPlacement[] {
  const weights = new Map<string, { readonly one: ConcernedPlacement; weight: number }>();
  for (const { placements } of values)
    for (const one of placements) {
      const known = weights.get(keyOf(one)) ?? { one, weight: 0 };
      known.weight += WEIGHTS[one.effect];
      weights.set(keyOf(one), known);
    }
  return [...weights.values()]
    .sort((a, b) => b.weight - a.weight || (keyOf(a.one) < keyOf(b.one) ? -1 : 1))
    .map(({ one }) => one);
}
