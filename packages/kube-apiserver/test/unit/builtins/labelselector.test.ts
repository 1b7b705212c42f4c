import { expect, it } from '@jest/globals';
import { matchesSelector } from '../../../src/registry/builtins/validation/labelselector.js';
import type { Json } from '../../../src/json.js';

const LABELS = { a: '1', b: '2' };

function expression(key: string, operator: string, ...values: readonly Json[]): { readonly [key: string]: Json } {
  return { matchExpressions: [{ key, operator, values }] };
}

it.each([
  ['nothing', {}, true],
  ['an equal label', { matchLabels: { a: '1' } }, true],
  ['another value', { matchLabels: { a: '2' } }, false],
  ['a label that is not there', { matchLabels: { c: '1' } }, false],
  ['a label that only prototypes have', { matchLabels: { constructor: '1' } }, false],
  ['In', expression('a', 'In', '0', '1'), true],
  ['In without it', expression('a', 'In', '0'), false],
  ['NotIn', expression('a', 'NotIn', '0'), true],
  ['NotIn of a label that is not there', expression('c', 'NotIn', '0'), true],
  ['NotIn with it', expression('a', 'NotIn', '1'), false],
  ['Exists', expression('b', 'Exists'), true],
  ['Exists of none', expression('c', 'Exists'), false],
  ['DoesNotExist', expression('c', 'DoesNotExist'), true],
  ['DoesNotExist of one', expression('b', 'DoesNotExist'), false],
  ['an operator that is none', expression('a', 'Like', '1'), false],
  ['both, of which one fails', { matchLabels: { a: '1' }, ...expression('b', 'In', '3') }, false],
])('a selector of %s is judged', (_what, selector, matches) => {
  expect(matchesSelector(selector, LABELS)).toBe(matches);
});
