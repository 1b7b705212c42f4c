import { keyOf } from '../../runtime/vocabulary/names.js';
import type { FleetLosses } from '../../answers/plan/loseeach.js';
import type { ConcernedPlacement } from '../../answers/plan/loss.js';
import type { Heat, HeatCell } from '../wire/plan.js';

/** The loss of each value of a key as a table: the Placements that it hurts against the values. */

/** So many are sent: a table of more is read by `-o wide` and `-o json`. */
const MOST_ROWS = 500;
const MOST_COLUMNS = 40;

const WEIGHTS: Readonly<Record<HeatCell['effect'], number>> = { Empty: 10_000, Short: 100, Moves: 1 };

/** The values come in the order of the losses, the worst first; so do the Placements. */
export function heatOf(
  { key: { source, name }, values }: Pick<FleetLosses, 'key' | 'values'>,
  notes: Heat['notes'],
): Heat {
  const key = `${source}/${name}`;
  const hurt = hurtBy(values);
  const columns = values.slice(0, MOST_COLUMNS);
  const byValue = columns.map(({ placements }) => new Map(placements.map((one) => [keyOf(one), one])));
  return {
    key,
    columns: columns.map(({ value, clusters }) => ({ value, target: `${key}=${value}`, clusters })),
    columnsTotal: values.length,
    rows: hurt.slice(0, MOST_ROWS).map(({ namespace, name: placement }) => {
      const cells = byValue.map((losses) => cellOf(losses.get(keyOf({ namespace, name: placement }))));
      return { namespace, name: placement, cells };
    }),
    rowsTotal: hurt.length,
    notes,
  };
}

function cellOf(one: ConcernedPlacement | undefined): HeatCell | null {
  return one === undefined ? null : { effect: one.effect, ...one.selected };
}

/** The Placements that some value hurts: those that are empty without most values first, of these the largest. */
function hurtBy(values: FleetLosses['values']): readonly ConcernedPlacement[] {
  const weights = new Map<string, { readonly one: ConcernedPlacement; weight: number; lost: number }>();
  for (const { placements } of values)
    for (const one of placements) {
      const known = weights.get(keyOf(one)) ?? { one, weight: 0, lost: 0 };
      known.weight += WEIGHTS[one.effect];
      known.lost += one.selected.before - one.selected.after;
      weights.set(keyOf(one), known);
    }
  return [...weights.values()]
    .sort((a, b) => b.weight - a.weight || b.lost - a.lost || (keyOf(a.one) < keyOf(b.one) ? -1 : 1))
    .map(({ one }) => one);
}
