import { expect, it } from '@jest/globals';
import { matchesSelector } from '../../../src/registry/builtins/validation/labelselector.js';
import type { Json } from '@multicluster-engine/values/json';

const LABELS = { a: '1', b: '2' };

function expression(key: string, operator: string, ...values: readonly Json[]): { readonly [key: string]: Json } {
  return { matchExpressions: [{ key, operator, values }] };
}

it.each([
  ['no requirements', {}, true],
  ['an equal label', { matchLabels: { a: '1' } }, true],
  ['another value', { matchLabels: { a: '2' } }, false],
  ['a missing label', { matchLabels: { c: '1' } }, false],
  ['a label that is an inherited property', { matchLabels: { constructor: '1' } }, false],
  ['In', expression('a', 'In', '0', '1'), true],
  ['In without the value', expression('a', 'In', '0'), false],
  ['NotIn', expression('a', 'NotIn', '0'), true],
  ['NotIn of a missing label', expression('c', 'NotIn', '0'), true],
  ['NotIn with the value', expression('a', 'NotIn', '1'), false],
  ['Exists', expression('b', 'Exists'), true],
  ['Exists of a missing label', expression('c', 'Exists'), false],
  ['DoesNotExist', expression('c', 'DoesNotExist'), true],
  ['DoesNotExist of an existing label', expression('b', 'DoesNotExist'), false],
  ['an unknown operator', expression('a', 'Like', '1'), false],
  ['two requirements, one of which fails', { matchLabels: { a: '1' }, ...expression('b', 'In', '3') }, false],
])('a label selector with %s, %j, matches the labels: %s', (_what, selector, matches) => {
  expect(matchesSelector(selector, LABELS)).toBe(matches);
});
