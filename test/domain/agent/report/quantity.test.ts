import { describe, expect, it } from '@jest/globals';

import { sumOfQuantities } from '../../../../src/domain/agent/report/nodes.js';

describe('a sum of quantities', () => {
  it.each([
    [[], '0'],
    [['4', '8'], '12'],
    [['3920m', '80m'], '4'],
    [['3920m', '3920m'], '7840m'],
    [['7936428Ki', '7936428Ki'], '15872856Ki'],
    [['16Gi', '16Gi'], '32Gi'],
    [['512Mi', '512Mi'], '1Gi'],
    [['1Gi', '1000'], '1073742824'],
    [['1.5Gi', '512Mi'], '2Gi'],
    [['32k', '1M'], '1032k'],
    [['110', '110', '250'], '470'],
    [['1e3', '1E3'], '2k'],
    [['1E', '1'], '1000000000000000001'],
    [['2500u', '500n'], '2500500n'],
    [['9007199254740993', '2'], '9007199254740995'],
    [['0', '0'], '0'],
    [['4', 'many', '-3', '', '1.'], '5'],
  ])('the sum of %j is %s', (quantities, sum) => {
    expect(sumOfQuantities(quantities)).toBe(sum);
  });
});
