/** How often a property is checked by day, where `atNight` random cases are checked ten times over at night. */
export function runs(atNight: number): number {
  return process.env['NIGHTLY'] === 'true' ? atNight : Math.ceil(atNight / 3);
}
