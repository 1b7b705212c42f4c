/**
 * A long computation in steps: between two of them whoever runs it may do something else, or give it up. A step takes about as
 * long as one decision.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Takes all steps at once. */
export function finished<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
