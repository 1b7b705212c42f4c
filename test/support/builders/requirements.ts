import { readThreshold, type Comparison } from '../../../src/domain/comparison.js';
import type { Requirement } from '../../../src/domain/selectors.js';

/** The requirement that the claim `key` compares so with the threshold. */
export function comparison(key: string, operator: Comparison, text: string): Requirement {
  const threshold = readThreshold(text);
  if (threshold === undefined) throw new Error(`${text} is no threshold`);
  return { path: 'p', key, operator, values: [text], threshold };
}
