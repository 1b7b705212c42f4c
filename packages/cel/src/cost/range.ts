/** A minimum and a maximum. Sums and products saturate at {@link MAX_ESTIMATE}. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest cost and size: the limit of 64 bits. */
export const MAX_ESTIMATE = 2 ** 64;

export const UNKNOWN: Range = { min: 0, max: MAX_ESTIMATE };

export function fixed(value: number): Range {
  return { min: value, max: value };
}

function cap(value: number): number {
  return Math.min(value, MAX_ESTIMATE);
}

export function plus(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: cap(min), max: cap(max) };
}

export function times(a: Range, b: Range): Range {
  return { min: cap(a.min * b.min), max: cap(a.max * b.max) };
}

/** Multiplies by a factor and rounds up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: cap(Math.ceil(min * factor)), max: cap(Math.ceil(max * factor)) };
}

/** The smallest range that contains both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
