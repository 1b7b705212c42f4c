import { expect, test } from '@jest/globals';

import { Placements } from '../../../src/api/resources.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { expectRefusal, many, objectOf, tryCreate, type Rule } from './admission.js';

type Spec = Record<string, unknown>;

const CONFIGURATIONS = 'spec.prioritizerPolicy.configurations';
const COORDINATE = `${CONFIGURATIONS}[0].scoreCoordinate`;
const BALANCE = { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } };

function policy(...configurations: readonly unknown[]): Spec {
  return { prioritizerPolicy: { configurations } };
}

function coordinate(scoreCoordinate: unknown, rest: Spec = {}): Spec {
  return policy({ scoreCoordinate, ...rest });
}

function claim(fields: Spec): Spec {
  return coordinate({ type: 'Claim', claim: { name: 'cost', ...fields } });
}

const CLAIM = claim({ order: 'Ascending', min: '0', max: '16Gi' });
const LABEL = coordinate({ type: 'Label', label: { name: 'example.com/tier', order: 'Descending' } });
const SELECTOR = coordinate({ type: 'Selector', selector: { labelSelector: { matchLabels: { provider: 'aws' } } } });

const RULES: readonly Rule<Spec>[] = [
  ...[-11, 11].map((weight): Rule<Spec> => ({
    rule: `a weight is from -10 to 10, and not ${weight}`,
    bad: policy({ ...BALANCE, weight }),
    good: policy({ ...BALANCE, weight: Math.sign(weight) * 10 }),
    field: `${CONFIGURATIONS}[0].weight`,
    value: String(weight),
    says: weight < 0 ? 'should be greater than or equal to -10' : 'should be less than or equal to 10',
  })),
  {
    rule: 'there are at most 16 configurations',
    bad: policy(...many(17, () => BALANCE)),
    good: policy(...many(16, () => BALANCE)),
    field: CONFIGURATIONS,
    value: '17',
    says: 'must have at most 16 items',
  },
  {
    rule: 'the mode is Exact or Additive',
    bad: { prioritizerPolicy: { mode: 'Fuzzy' } },
    good: { prioritizerPolicy: { mode: 'Additive' } },
    field: 'spec.prioritizerPolicy.mode',
    value: '"Fuzzy"',
    says: 'supported values: "Exact", "Additive"',
  },
  {
    rule: 'a configuration has a coordinate',
    bad: policy({ weight: 1 }),
    good: policy(BALANCE),
    field: COORDINATE,
    says: 'Required value',
  },
  {
    rule: 'a type is known',
    bad: coordinate({ type: 'Price' }),
    good: policy(BALANCE),
    field: `${COORDINATE}.type`,
    value: '"Price"',
    says: 'supported values: "BuiltIn", "Claim", "Label", "Selector"',
  },
  {
    rule: 'AddOn is not a type',
    bad: coordinate({ type: 'AddOn' }),
    good: policy(BALANCE),
    field: `${COORDINATE}.type`,
    value: '"AddOn" is not a type',
    says: 'write Claim, with the claim score/RESOURCE/NAME',
  },
  {
    rule: 'addOn is not a coordinate',
    bad: coordinate({ type: 'Claim', claim: { name: 'cost' }, addOn: { resourceName: 'usage', scoreName: 'cpu' } }),
    good: policy(BALANCE),
    field: `${COORDINATE}.addOn`,
    value: 'addOn is not a coordinate',
    says: 'write claim, with the name score/RESOURCE/NAME',
  },
  {
    rule: 'Steady is not a coordinate',
    bad: coordinate({ type: 'BuiltIn', builtIn: 'Steady' }),
    good: coordinate({ type: 'BuiltIn', builtIn: 'PredicateOrder' }),
    field: `${COORDINATE}.builtIn`,
    value: '"Steady" is not a coordinate',
    says: 'write spec.rebalance.scoreMargin',
  },
  ...[
    ['BuiltIn', 'builtIn', policy(BALANCE)] as const,
    ['Claim', 'claim', CLAIM] as const,
    ['Label', 'label', LABEL] as const,
    ['Selector', 'selector', SELECTOR] as const,
  ].flatMap(([type, body, good]): Rule<Spec>[] => [
    {
      rule: `type ${type} has the field ${body}`,
      bad: coordinate({ type }),
      good,
      field: `${COORDINATE}.${body}`,
      says: `${body} is missing: type ${type} needs it`,
    },
    {
      rule: `no other type than ${type} has the field ${body}`,
      bad: coordinate({
        ...(type === 'BuiltIn' ? { type: 'Selector', selector: {} } : BALANCE.scoreCoordinate),
        [body]: type === 'BuiltIn' ? 'Balance' : type === 'Selector' ? {} : { name: 'a' },
      }),
      good,
      field: `${COORDINATE}.${body}`,
      says: `must be absent with type ${type === 'BuiltIn' ? 'Selector' : 'BuiltIn'}`,
    },
  ]),
  {
    rule: 'a claim has a name',
    bad: coordinate({ type: 'Claim', claim: {} }),
    good: CLAIM,
    field: `${COORDINATE}.claim.name`,
    says: 'Required value',
  },
  {
    rule: 'a label has the name of a label',
    bad: coordinate({ type: 'Label', label: { name: 'a b' } }),
    good: LABEL,
    field: `${COORDINATE}.label.name`,
    value: '"a b"',
    says: 'must be a label key',
  },
  {
    rule: 'an order is Ascending or Descending',
    bad: claim({ order: 'Upwards' }),
    good: claim({ order: 'Descending' }),
    field: `${COORDINATE}.claim.order`,
    value: '"Upwards"',
    says: 'supported values: "Ascending", "Descending"',
  },
  {
    rule: 'min comes with max',
    bad: claim({ min: '1' }),
    good: claim({ min: '1', max: '2' }),
    field: `${COORDINATE}.claim.max`,
    says: 'max is missing: min needs it',
  },
  {
    rule: 'max comes with min',
    bad: claim({ max: '1' }),
    good: claim({ min: '500m', max: '1' }),
    field: `${COORDINATE}.claim.min`,
    says: 'min is missing: max needs it',
  },
  {
    rule: 'max is greater than min',
    bad: claim({ min: '1000m', max: '1' }),
    good: claim({ min: '999m', max: '1' }),
    field: `${COORDINATE}.claim.max`,
    value: '"1": max must be greater than min, "1000m"',
    says: 'must be greater than min',
  },
  {
    rule: 'min is a quantity',
    bad: claim({ min: 'cheap', max: '1' }),
    good: claim({ min: '-1', max: '1' }),
    field: `${COORDINATE}.claim.min`,
    value: '"cheap"',
    says: 'must be a quantity, such as 4, 500m, 16Gi or 0.35',
  },
  {
    rule: 'min is a quantity that the API server parses at once',
    bad: claim({ min: '1e-805069125', max: '1' }),
    good: claim({ min: '1e-80', max: '1' }),
    field: `${COORDINATE}.claim.min`,
    value: '"1e-805069125"',
    says: 'must be a quantity, such as 4, 500m, 16Gi or 0.35',
  },
  {
    rule: 'max is a number that a double holds',
    bad: claim({ min: '0', max: '1e320' }),
    good: claim({ min: '0', max: '1e99' }),
    field: `${COORDINATE}.claim.max`,
    value: '"1e320"',
    says: 'must be a quantity, such as 4, 500m, 16Gi or 0.35, with at most two digits in an exponent',
  },
  {
    rule: 'max is a quantity that the API server parses at once',
    bad: claim({ min: '1', max: '1E805069125' }),
    good: claim({ min: '1', max: '1e80' }),
    field: `${COORDINATE}.claim.max`,
    value: '"1E805069125"',
    says: 'must be a quantity, such as 4, 500m, 16Gi or 0.35',
  },
];

describeWithServer('the API server on a prioritizerPolicy', {}, (server) => {
  const send = (spec: Spec): ReturnType<typeof tryCreate> =>
    tryCreate(server(), Placements, objectOf(Placements, { name: 'web', namespace: 'default' }, { spec }));

  test.each(RULES)('the API server rejects a prioritizerPolicy unless $rule, as the controller does', async (rule) => {
    expectRefusal(await send(rule.bad), rule);
    expect(compileSpec(rule.bad).problem?.field).toBe(rule.field);
  });

  test.each(RULES)(
    'the API server accepts a prioritizerPolicy where $rule, as the controller does',
    async ({ good }) => {
      const { status, text } = await send(good);

      expect({ status, text }).toMatchObject({ status: 201 });
      expect(compileSpec(good).problem).toBeUndefined();
    },
  );

  test('the API server stores what was sent: no weight, and no configuration of its own', async () => {
    const { body } = await send(policy(BALANCE));

    expect(Object(body).spec).toEqual({ prioritizerPolicy: { configurations: [BALANCE] } });
  });
});
