import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

const AT = 'spec.prioritizerPolicy.configurations[0]';

describe('a score that a stored spec has slipped past the rules of its definition', () => {
  it.each<[unknown, string, string]>([
    [{}, `${AT}.scoreCoordinate`, 'is missing: a configuration needs it'],
    [{ scoreCoordinate: null }, `${AT}.scoreCoordinate`, 'is missing: a configuration needs it'],
    [
      { weight: 11, scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
      `${AT}.weight`,
      '11 is not a whole number from -10 to 10',
    ],
    [
      { weight: 0.5, scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
      `${AT}.weight`,
      '0.5 is not a whole number from -10 to 10',
    ],
  ])('%j is named with its field and the rule', (configuration, field, message) => {
    expect(compileSpec({ prioritizerPolicy: { configurations: [configuration] } }).problem).toEqual({ field, message });
  });
});
