/** How fast a figure grows, by least squares. */
interface Slope {
  readonly mean: number;
  readonly perHour: number;
  /** Standard error of `perHour`. */
  readonly error: number;
  readonly atMost: number;
  /** The growth is above the bound by more than two standard errors, or is no number. */
  readonly grows: boolean;
}

/** `times`: of the values, in hours; at least three. `bound`: the growth in an hour that counts as flat, as a share of the mean. */
export function slopeOf(values: readonly number[], times: readonly number[], bound: number): Slope {
  const meanOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
  const [mean, middle] = [meanOf(values), meanOf(times)];
  const at = (n: number): number => (times[n] ?? NaN) - middle;
  const spread = times.reduce((sum, _, n) => sum + at(n) ** 2, 0);
  const perHour = values.reduce((sum, value, n) => sum + (value - mean) * at(n), 0) / spread;
  const rest = values.reduce((sum, value, n) => sum + (value - mean - perHour * at(n)) ** 2, 0);
  const error = Math.sqrt(rest / (values.length - 2) / spread);
  const atMost = bound * mean;
  return { mean, perHour, error, atMost, grows: !(perHour - 2 * error <= atMost) };
}

/** A row of a table: name, mean, growth in an hour, bound, verdict. */
export function slopeRow(name: string, { mean, perHour, error, atMost, grows }: Slope): string {
  const [shownMean, growth, twice, most] = [mean, perHour, 2 * error, atMost].map((one) => Number(one.toPrecision(3)));
  return `| ${name} | ${shownMean} | ${growth} ± ${twice} | ${most} | ${grows ? 'grows' : 'flat'} |`;
}
