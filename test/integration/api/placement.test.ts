import { expect, test } from '@jest/globals';

import { Placements } from '../../../src/api/resources.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { expectRefusal, many, objectOf, tryCreate, type Rule } from './admission.js';

type Spec = Record<string, unknown>;

const SELECTORS = ['labelSelector', 'claimSelector'] as const;

function expressions(selector: string, list: readonly Record<string, unknown>[]): Spec {
  return { predicates: [{ requiredClusterSelector: { [selector]: { matchExpressions: list } } }] };
}

function expression(selector: string, fields: Record<string, unknown>): Spec {
  return expressions(selector, [{ key: 'tier', ...fields }]);
}

function selectorRules(selector: string): Rule<Spec>[] {
  const list = `spec.predicates[0].requiredClusterSelector.${selector}.matchExpressions`;
  return [...valueRules(selector, `${list}[0].values`), ...expressionRules(selector, list)];
}

/** How many values an expression has with its operator. */
function valueRules(selector: string, values: string): Rule<Spec>[] {
  return [
    ...['In', 'NotIn'].flatMap((operator): Rule<Spec>[] => [
      {
        rule: `${operator} of a ${selector} has values`,
        bad: expression(selector, { operator }),
        good: expression(selector, { operator, values: ['gold'] }),
        field: values,
        value: operator,
        says: 'must not be empty with operator',
      },
      {
        rule: `${operator} of a ${selector} has one value or more`,
        bad: expression(selector, { operator, values: [] }),
        good: expression(selector, { operator, values: ['gold', 'silver'] }),
        field: values,
        value: `[] must not be empty with operator ${operator}`,
        says: 'must not be empty with operator',
      },
    ]),
    ...['Exists', 'DoesNotExist'].map((operator): Rule<Spec> => ({
      rule: `${operator} of a ${selector} has no values`,
      bad: expression(selector, { operator, values: ['gold'] }),
      good: expression(selector, { operator, values: [] }),
      field: values,
      value: '"gold"',
      says: `must be empty with operator ${operator}`,
    })),
    {
      rule: `an expression of a ${selector} has at most 256 values`,
      bad: expression(selector, { operator: 'In', values: many(257, (index) => `v${index}`) }),
      good: expression(selector, { operator: 'In', values: many(256, (index) => `v${index}`) }),
      field: values,
      value: '257',
      says: 'must have at most 256 items',
    },
  ];
}

/** The fields of an expression, and how many expressions there are. */
function expressionRules(selector: string, list: string): Rule<Spec>[] {
  return [
    {
      rule: `an expression of a ${selector} has a known operator`,
      bad: expression(selector, { operator: 'Near', values: ['1'] }),
      good: expression(selector, { operator: 'In', values: ['1'] }),
      field: `${list}[0].operator`,
      value: '"Near"',
      says: 'supported values: "In", "NotIn", "Exists", "DoesNotExist"',
    },
    {
      rule: `an expression of a ${selector} has an operator`,
      bad: expression(selector, {}),
      good: expression(selector, { operator: 'Exists' }),
      field: `${list}[0].operator`,
      says: 'Required value',
    },
    {
      rule: `an expression of a ${selector} has a key`,
      bad: expressions(selector, [{ operator: 'Exists' }]),
      good: expressions(selector, [{ key: 'tier', operator: 'Exists' }]),
      field: `${list}[0].key`,
      says: 'Required value',
    },
    {
      rule: `a ${selector} has at most 64 expressions`,
      bad: expressions(
        selector,
        many(65, () => ({ key: 'tier', operator: 'Exists' })),
      ),
      good: expressions(
        selector,
        many(64, () => ({ key: 'tier', operator: 'Exists' })),
      ),
      field: list,
      value: '65',
      says: 'must have at most 64 items',
    },
  ];
}

function matchLabels(labels: Record<string, string>): Spec {
  return { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: labels } } }] };
}

const CONSTRAINT = 'spec.spreadPolicy.spreadConstraints[0]';

function constraint(over: Spec): Spec {
  return { topologyKey: 'region', topologyKeyType: 'Claim', ...over };
}

function spread(over: Spec): Spec {
  return { numberOfClusters: 3, spreadPolicy: { spreadConstraints: [constraint(over)] } };
}

function labelExpression(key: string, value: string): Spec {
  const matchExpressions = [{ key, operator: 'In', values: [value] }];
  return { predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions } } }] };
}

const EXPRESSION = 'spec.predicates[0].requiredClusterSelector.labelSelector.matchExpressions[0]';
const MATCH_LABELS = 'spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels';
const LABEL_RULES: readonly Rule<Spec>[] = [
  {
    rule: 'the key of an expression on labels is a label key',
    bad: labelExpression('tier ', 'gold'),
    good: labelExpression('example.com/a_b', 'gold'),
    field: `${EXPRESSION}.key`,
    value: '"tier "',
    says: 'should match',
  },
  {
    rule: 'a value of an expression on labels is a label value',
    bad: labelExpression('tier', 'go ld'),
    good: labelExpression('tier', ''),
    field: `${EXPRESSION}.values[0]`,
    value: '"go ld"',
    says: 'should match',
  },
  {
    rule: 'a key of matchLabels is a label key',
    bad: matchLabels({ region: 'eu', 'a b': 'eu' }),
    good: matchLabels({ region: 'eu', 'example.com/a_b': 'eu' }),
    field: MATCH_LABELS,
    value: 'key "a b"',
    says: 'must be a label key',
  },
  {
    rule: 'a key of matchLabels is not empty',
    bad: matchLabels({ '': 'eu' }),
    good: matchLabels({ a: 'eu' }),
    field: MATCH_LABELS,
    value: 'key ""',
    says: 'must be a label key',
  },
  {
    rule: 'a key of matchLabels has at most 63 characters after its prefix',
    bad: matchLabels({ ['k'.repeat(64)]: 'eu' }),
    good: matchLabels({ [`${'p'.repeat(63)}.${'p'.repeat(63)}/${'k'.repeat(63)}`]: 'eu' }),
    field: MATCH_LABELS,
    says: 'must be a label key',
  },
  {
    rule: 'a value of matchLabels is a label value',
    bad: matchLabels({ region: 'e u' }),
    good: matchLabels({ region: 'e.u', tier: '' }),
    field: MATCH_LABELS,
    value: 'value "e u"',
    says: 'must be a label value',
  },
  {
    rule: 'a value of matchLabels has at most 63 characters',
    bad: matchLabels({ region: 'e'.repeat(64) }),
    good: matchLabels({ region: 'e'.repeat(63) }),
    field: `${MATCH_LABELS}.region`,
    says: 'Too long: may not be more than 63 bytes',
  },
  {
    rule: 'matchLabels has at most 64 labels',
    bad: matchLabels(Object.fromEntries(many(65, (index) => [`k${index}`, 'v']))),
    good: matchLabels(Object.fromEntries(many(64, (index) => [`k${index}`, 'v']))),
    field: MATCH_LABELS,
    value: '65',
    says: 'must have at most 64 items',
  },
];

const RULES: readonly Rule<Spec>[] = [
  {
    rule: 'ClusterSets is spelled so',
    bad: { clusterSets: ['production', 'edge'] },
    good: { ClusterSets: ['production', 'edge'] },
    field: 'spec.clusterSets',
    value: '[production, edge]',
    says: 'clusterSets is not a field, write ClusterSets',
  },
  {
    rule: 'ClusterSets is spelled so, even empty',
    bad: { clusterSets: [] },
    good: { ClusterSets: [] },
    field: 'spec.clusterSets',
    value: '[]',
    says: 'clusterSets is not a field, write ClusterSets',
  },
  {
    rule: 'ClusterSets names each set once',
    bad: { ClusterSets: ['edge', 'edge'] },
    good: { ClusterSets: ['edge', 'edge-2'] },
    field: 'spec.ClusterSets[1]',
    value: '"edge"',
    says: 'Duplicate value',
  },
  {
    rule: 'a name in ClusterSets is not empty',
    bad: { ClusterSets: [''] },
    good: { ClusterSets: ['a'] },
    field: 'spec.ClusterSets[0]',
    value: '""',
    says: 'should be at least 1 chars long',
  },
  {
    rule: 'a name in ClusterSets has at most 63 characters',
    bad: { ClusterSets: ['a'.repeat(64)] },
    good: { ClusterSets: ['a'.repeat(63)] },
    field: 'spec.ClusterSets[0]',
    says: 'Too long: may not be more than 63 bytes',
  },
  {
    rule: 'ClusterSets has at most 256 names',
    bad: { ClusterSets: many(257, (index) => `set-${index}`) },
    good: { ClusterSets: many(256, (index) => `set-${index}`) },
    field: 'spec.ClusterSets',
    value: '257',
    says: 'must have at most 256 items',
  },
  {
    rule: 'numberOfClusters is not negative',
    bad: { numberOfClusters: -1 },
    good: { numberOfClusters: 0 },
    field: 'spec.numberOfClusters',
    value: '-1',
    says: 'should be greater than or equal to 0',
  },
  {
    rule: 'maxRemovals or maxAdditions of a disruptionBudget is set',
    bad: { disruptionBudget: { windowSeconds: 60 } },
    good: { disruptionBudget: { maxAdditions: 0 } },
    field: 'spec.disruptionBudget.maxRemovals',
    says: 'maxRemovals or maxAdditions is required',
  },
  {
    rule: 'maxAdditions of a disruptionBudget is a number or a percentage',
    bad: { disruptionBudget: { maxAdditions: '101%' } },
    good: { disruptionBudget: { maxAdditions: '100%' } },
    field: 'spec.disruptionBudget.maxAdditions',
    value: '101%: ',
    says: 'must be a whole number from 0 to 2147483647 without quotes, or a percentage from 0% to 100%',
  },
  ...[-1, 2_147_483_648, '3', '101%', '05%', '1.5%', '', '10 %'].map((maxRemovals): Rule<Spec> => ({
    rule: `maxRemovals of a disruptionBudget is a number or a percentage, and not ${JSON.stringify(maxRemovals)}`,
    bad: { disruptionBudget: { maxRemovals } },
    good: { disruptionBudget: { maxRemovals: '10%' } },
    field: 'spec.disruptionBudget.maxRemovals',
    value: `${maxRemovals}: `,
    says: 'must be a whole number from 0 to 2147483647 without quotes, or a percentage from 0% to 100%',
  })),
  {
    rule: 'windowSeconds of a disruptionBudget is a minute or more',
    bad: { disruptionBudget: { maxRemovals: 1, windowSeconds: 59 } },
    good: { disruptionBudget: { maxRemovals: 1, windowSeconds: 60 } },
    field: 'spec.disruptionBudget.windowSeconds',
    value: '59',
    says: 'should be greater than or equal to 60',
  },
  {
    rule: 'windowSeconds of a disruptionBudget is a week or less',
    bad: { disruptionBudget: { maxRemovals: 1, windowSeconds: 604_801 } },
    good: { disruptionBudget: { maxRemovals: 1, windowSeconds: 604_800 } },
    field: 'spec.disruptionBudget.windowSeconds',
    value: '604801',
    says: 'should be less than or equal to 604800',
  },
  {
    rule: 'predicates are at most 64',
    bad: { predicates: many(65, () => ({})) },
    good: { predicates: many(64, () => ({})) },
    field: 'spec.predicates',
    value: '65',
    says: 'must have at most 64 items',
  },
  {
    rule: 'either every predicate has a number or none has',
    bad: { predicates: [{ numberOfClusters: 1 }, {}, {}] },
    good: { predicates: [{ numberOfClusters: 1 }, { numberOfClusters: 0 }] },
    field: 'spec.predicates',
    says: 'either every predicate has numberOfClusters or none has',
  },
  {
    rule: 'spreadPolicy needs a number of clusters',
    bad: { spreadPolicy: { spreadConstraints: [constraint({})] }, predicates: [{}] },
    good: { spreadPolicy: { spreadConstraints: [constraint({})] }, predicates: [{ numberOfClusters: 2 }] },
    field: 'spec.spreadPolicy',
    says: 'needs a number of clusters: set spec.numberOfClusters, or numberOfClusters of every predicate',
  },
  {
    rule: 'the type of a topology key is Claim or Label',
    bad: spread({ topologyKeyType: 'Annotation' }),
    good: spread({ topologyKeyType: 'Label' }),
    field: `${CONSTRAINT}.topologyKeyType`,
    value: '"Annotation"',
    says: 'supported values: "Claim", "Label"',
  },
  {
    rule: 'maxSkew is 1 or more',
    bad: spread({ maxSkew: 0 }),
    good: spread({ maxSkew: 1 }),
    field: `${CONSTRAINT}.maxSkew`,
    value: '0',
    says: 'should be greater than or equal to 1',
  },
  {
    rule: 'minDomains needs DoNotSchedule',
    bad: spread({ minDomains: 3 }),
    good: spread({ minDomains: 3, whenUnsatisfiable: 'DoNotSchedule' }),
    field: `${CONSTRAINT}.minDomains`,
    says: 'minDomains needs whenUnsatisfiable: DoNotSchedule, not ScheduleAnyway',
  },
  ...LABEL_RULES,
  ...SELECTORS.flatMap(selectorRules),
  {
    rule: 'a value of a claim has at most 1024 characters',
    bad: expression('claimSelector', { operator: 'In', values: ['é'.repeat(1025)] }),
    good: expression('claimSelector', { operator: 'In', values: ['é'.repeat(1024)] }),
    field: 'spec.predicates[0].requiredClusterSelector.claimSelector.matchExpressions[0].values[0]',
    says: 'Too long: may not be more than 1024',
  },
  {
    rule: 'the key of a claim is not empty',
    bad: expressions('claimSelector', [{ key: '', operator: 'Exists' }]),
    good: expressions('claimSelector', [{ key: 'a', operator: 'Exists' }]),
    field: 'spec.predicates[0].requiredClusterSelector.claimSelector.matchExpressions[0].key',
    value: '""',
    says: 'should be at least 1 chars long',
  },
  {
    rule: 'the key of a claim has at most 253 characters',
    bad: expressions('claimSelector', [{ key: 'a'.repeat(254), operator: 'Exists' }]),
    good: expressions('claimSelector', [{ key: 'a'.repeat(253), operator: 'Exists' }]),
    field: 'spec.predicates[0].requiredClusterSelector.claimSelector.matchExpressions[0].key',
    says: 'Too long: may not be more than 253 bytes',
  },
];

const ACCEPTED: readonly [string, Spec][] = [
  ['no field at all', {}],
  ['the largest numberOfClusters', { numberOfClusters: 2_147_483_647 }],
  ['a disruptionBudget of 0 %', { disruptionBudget: { maxRemovals: '0%' } }],
  ['a disruptionBudget of the largest number', { disruptionBudget: { maxRemovals: 2_147_483_647 } }],
  ['an empty predicate', { predicates: [{}] }],
  ['empty selectors', { predicates: [{ requiredClusterSelector: { labelSelector: {}, claimSelector: {} } }] }],
  [
    'claim values that are no label values',
    expression('claimSelector', { operator: 'In', values: ['', 'Google Cloud', 'a/b=c, "d"', '日本'] }),
  ],
  [
    'matchLabels and claims together',
    {
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchLabels: { region: 'eu' } },
            claimSelector: { matchExpressions: [] },
          },
        },
      ],
    },
  ],
];

function placement(spec: Spec): ReturnType<typeof objectOf> {
  return objectOf(Placements, { name: 'web', namespace: 'default' }, { spec });
}

describeWithServer('the API server on a Placement', {}, (server) => {
  test.each(RULES)('the API server rejects a Placement unless $rule', async (rule) => {
    expectRefusal(await tryCreate(server(), Placements, placement(rule.bad)), rule);
  });

  test.each(RULES)('the API server accepts a Placement where $rule', async ({ good }) => {
    const { status, text } = await tryCreate(server(), Placements, placement(good));

    expect({ status, text }).toMatchObject({ status: 201 });
  });

  test.each(ACCEPTED)('the API server accepts a Placement with %s', async (_title, spec) => {
    const { status, text } = await tryCreate(server(), Placements, placement(spec));

    expect({ status, text }).toMatchObject({ status: 201 });
  });

  test('the API server sets the window of a disruptionBudget to an hour', async () => {
    const object = placement({ disruptionBudget: { maxRemovals: 1 } });
    const { body } = await tryCreate(server(), Placements, object);

    expect(body).toMatchObject({ spec: { disruptionBudget: { maxRemovals: 1, windowSeconds: 3600 } } });
  });

  test.each([true, 1.5, null, [], {}])(
    'the API server rejects a disruptionBudget with maxRemovals %j and names the field',
    async (maxRemovals) => {
      const { status, text } = await tryCreate(server(), Placements, placement({ disruptionBudget: { maxRemovals } }));

      expect(status).toBe(422);
      expect(text).toContain('spec.disruptionBudget.maxRemovals');
    },
  );

  test('the API server rejects a numberOfClusters beyond 32 bits and names the field and the limit', async () => {
    const { status, text } = await tryCreate(server(), Placements, placement({ numberOfClusters: 2_147_483_648 }));

    expect(status).toBe(422);
    expect(text).toContain('spec.numberOfClusters: Invalid value: 2147483648');
    expect(text).toContain('should be less than or equal to 2147483647');
  });
});
