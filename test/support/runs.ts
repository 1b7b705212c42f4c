/** With how many random cases a property is checked: `atNight` at night, when the file also runs ten times, and a third by day. */
export function runs(atNight: number): number {
  return process.env['NIGHTLY'] === 'true' ? atNight : Math.ceil(atNight / 3);
}
