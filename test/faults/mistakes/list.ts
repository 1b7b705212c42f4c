/** A mistake that somebody could make: a change of the sources that the harness has to find. */
export interface Mistake {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** The scenarios that can show it: names that begin so. */
  readonly scenarios: string;
}

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'what is published is forgotten after a write in doubt',
    file: 'operator/controllers/placement/apply.ts',
    from: 'state.published = publishedBy(changes, done);',
    to: 'state.published = undefined;',
    scenarios: 'placement/',
  },
  {
    name: 'an object is deleted without the version that was read',
    file: 'operator/controllers/placement/apply.ts',
    from: 'const result = await confirm(input, decided, scope);',
    to: 'const result = undefined as Result | undefined;',
    scenarios: 'placement/',
  },
];
