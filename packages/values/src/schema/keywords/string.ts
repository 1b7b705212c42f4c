import { tooManyCharacters, wrongValue, type Problem } from './problem.js';
import { TooManySteps, type Budget, regexp, PatternError } from '../../re2.js';
import type { Schema } from '../schema.js';

interface StringTarget {
  readonly schema: Schema;
  readonly path: string;
  /** The remaining steps for pattern matching. */
  readonly budget: Budget;
}

/** The first violation of maxLength, minLength (in code points) and pattern. */
export function stringProblem({ schema, path, budget }: StringTarget, value: string): Problem | undefined {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength)
    return tooManyCharacters(path, maxLength);
  if (minLength !== undefined && characters(value) < minLength)
    return wrongValue(path, value, `should be at least ${minLength} chars long`);
  if (pattern === undefined || pattern === '') return undefined;
  try {
    return regexp(pattern).test(value, budget) ? undefined : wrongValue(path, value, `should match '${pattern}'`);
  } catch (error) {
    if (error instanceof PatternError)
      return wrongValue(path, value, `should match '${pattern}, but pattern is invalid: ${error.message}'`);
    if (error instanceof TooManySteps)
      return wrongValue(path, value, `should match '${pattern}', which takes too long to tell`);
    throw error;
  }
}

function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}
