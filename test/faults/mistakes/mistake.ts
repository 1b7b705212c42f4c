/** Before the name of a subject of specs. */
export const OF_SPECS = 'specs/';

/** A mistake that somebody could make: a change of the sources that the harness has to find. */
export interface Mistake {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** The scenarios that can show it: names that begin so; or `specs/`, and subjects of specs. */
  readonly scenarios: string;
  /** Only what is recorded of the runs without faults shows it. */
  readonly isRecorded?: boolean;
  /** Why no plan can find it; absent: one has to. */
  readonly notFound?: string;
}

/** The text of the file with the mistake. @throws Error where what is changed does not stand once in it */
export function mistakenText({ name, file, from, to }: Mistake, source: string): string {
  if (source.split(from).length !== 2)
    throw new Error(`${name}: ${JSON.stringify(from)} does not stand once in ${file}`);
  return source.replace(from, () => to);
}
