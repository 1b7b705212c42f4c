import { describe, expect, it } from '@jest/globals';
import { requirementText } from '../../../../src/domain/placement/explain/requirementtext.js';

describe('requirementText', () => {
  it.each([
    ['In', ['gold'], 'label tier=gold'],
    ['In', ['gold', 'very good'], 'label tier in (gold, "very good")'],
    ['NotIn', ['gold'], 'label tier!=gold'],
    ['NotIn', ['gold', ''], 'label tier notin (gold, "")'],
    ['Exists', [], 'label tier'],
    ['DoesNotExist', [], 'label !tier'],
  ] as const)('a requirement with %s of %j reads %s', (operator, values, text) => {
    expect(requirementText({ source: 'label', requirement: { path: 'x', key: 'tier', operator, values } })).toBe(text);
  });
});
