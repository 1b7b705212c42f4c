import { describe, expect, it } from '@jest/globals';
import { foundText, requirementText, unmetText } from '../../../../src/domain/placement/explain/requirementtext.js';
import { comparison } from '../../../support/builders/requirements.js';

describe('requirementText', () => {
  it.each([
    ['In', ['gold'], 'label tier=gold'],
    ['In', ['gold', 'very good'], 'label tier in (gold, "very good")'],
    ['NotIn', ['gold'], 'label tier!=gold'],
    ['NotIn', ['gold', ''], 'label tier notin (gold, "")'],
    ['Exists', [], 'label tier'],
    ['DoesNotExist', [], 'label !tier'],
    ['Ge', ['1.5Gi'], 'label tier >= 1.5Gi'],
  ] as const)('a requirement with %s of %j reads %s', (operator, values, text) => {
    expect(requirementText({ source: 'label', requirement: { path: 'x', key: 'tier', operator, values } })).toBe(text);
  });
});

describe('a comparison that a cluster does not meet', () => {
  const cost = comparison('cost', 'Lt', '0.35');
  const version = comparison('kubernetes-version', 'Ge', 'v1.30');

  it.each([
    [cost, '0.4', 'claim cost, wanted < 0.35, found 0.4'],
    [cost, 'n/a', 'claim cost, wanted < 0.35, found "n/a" (not a number)'],
    [cost, undefined, 'no claim cost, wanted < 0.35'],
    [version, 'v1.29.9+k3s1', 'claim kubernetes-version, wanted >= v1.30, found v1.29.9+k3s1'],
    [version, '1.31', 'claim kubernetes-version, wanted >= v1.30, found "1.31" (not a version)'],
  ])('the text of %j with %j says what was found and why it does not count', (requirement, found, text) => {
    const unmet = { source: 'claim', requirement, found } as const;

    expect(unmetText(unmet)).toBe(text);
    expect(found === undefined || text.endsWith(foundText(unmet))).toBe(true);
  });
});
