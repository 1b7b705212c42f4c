import { readBound, type Comparison } from '../../../src/domain/comparison.js';
import type { Requirement } from '../../../src/domain/selectors.js';

/** The requirement that the claim `key` compares so with the bound. */
export function comparison(key: string, operator: Comparison, text: string): Requirement {
  const bound = readBound(text);
  if (bound === undefined) throw new Error(`${text} is no bound`);
  return { path: 'p', key, operator, values: [text], bound };
}
