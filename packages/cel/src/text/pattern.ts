import { TooManySteps } from '@multicluster-engine/values/re2/pike';
import { regexp } from '@multicluster-engine/values/re2/re2';
import { PatternError } from '@multicluster-engine/values/re2/syntax';
import type { Budget } from '../language/budget.js';
import { CostExceeded, EvaluationError } from '../language/error.js';

/** The error of Go's regexp package for a pattern; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    regexp(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/**
 * Whether a pattern matches anywhere in a text. Throws EvaluationError, and CostExceeded when matching takes too many
 * steps.
 */
export function matches(text: string, pattern: string, budget: Budget): boolean {
  return bounded(() => regexp(pattern).test(text, budget.effort));
}

/** Non-overlapping matches from left to right. An empty match directly after another one is skipped. */
export function findAll(text: string, pattern: string, limit: number, budget: Budget): string[] {
  return bounded(() => {
    const expression = regexp(pattern);
    const found: string[] = [];
    let from = 0;
    let last = -1;
    while (from <= text.length && found.length < limit) {
      const match = expression.find(text, from, budget.effort);
      if (match === undefined) break;
      const [start, end] = match;
      if (start !== end || end !== last) found.push(text.slice(start, end));
      last = end;
      from = start === end ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
    }
    return found;
  });
}

function bounded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PatternError) throw new EvaluationError(error.message);
    if (error instanceof TooManySteps) throw new CostExceeded();
    throw error;
  }
}
