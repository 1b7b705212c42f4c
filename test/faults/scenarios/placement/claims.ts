import type { Scenario } from '../../scenario.js';
import { addCluster, claim, fleet, join, place } from '../fleet.js';
import { byClaims, byLabels, OPERATOR, type Requirement } from './words.js';

const inEurope: Requirement = { key: 'region', operator: 'In', values: ['eu'] };

export const claims: Scenario = {
  name: 'placement/claims',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'ab', { claims: { cost: '1500m', region: 'eu' } });
    await addCluster(hands, 'c', { claims: { cost: '3', region: 'eu' } });
    await addCluster(hands, 'd', { claims: { cost: '3', region: 'us' } });
    await addCluster(hands, 'e', { claims: { cost: 'unknown', region: 'eu' } });
    await addCluster(hands, 'f', { labels: { tier: 'gold' } });
  },
  steps: [
    place('web', {
      predicates: [byClaims({ key: 'cost', operator: 'Gt', values: ['1.5'] }, inEurope), byLabels({ tier: 'gold' })],
    }),
    claim('a', { cost: '1501m', region: 'eu' }),
    claim('c', { cost: '3', region: 'us' }),
    place('web', { predicates: [byClaims({ key: 'cost', operator: 'Lt', values: ['3'] })] }),
    join('g', { claims: { cost: '2', region: 'us' } }),
  ],
};
