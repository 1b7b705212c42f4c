/** What one run has measured, by the key of the figure; undefined: it was not measured. */
export type Values = Readonly<Record<string, number | undefined>>;

/** The values of each figure over all runs. */
export function valuesByFigure(runs: readonly Values[]): ReadonlyMap<string, readonly number[]> {
  const values = new Map<string, number[]>();
  for (const run of runs)
    for (const [key, value] of Object.entries(run))
      if (value !== undefined) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}
