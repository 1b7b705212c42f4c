const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `3 m`, `45 s`; in the largest unit that fits. */
export function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, one]) => ms >= one) ?? (['s', 1_000] as const);
  return `${Math.floor(ms / length)} ${unit}`;
}
