import { expect, test } from '@jest/globals';

import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { expectRefusal, many, objectOf, pathOf, tryCreate, type Rule } from './admission.js';

/** The fields beside metadata. */
type Rest = Record<string, unknown>;

interface TypedRule extends Rule<Rest> {
  readonly type: ResourceType;
}

function decisions(list: readonly Rest[]): Rest {
  return { status: { decisions: list } };
}

function setSelector(fields: Rest): Rest {
  return { spec: { clusterSelector: fields } };
}

function setExpression(fields: Rest): Rest {
  return setSelector({ selectorType: 'LabelSelector', labelSelector: { matchExpressions: [fields] } });
}

const EXPRESSION = 'spec.clusterSelector.labelSelector.matchExpressions[0]';

const RULES: readonly TypedRule[] = [
  {
    type: PlacementDecisions,
    rule: 'status is there',
    bad: {},
    good: decisions([]),
    field: 'status',
    says: 'Required value',
  },
  {
    type: PlacementDecisions,
    rule: 'status.decisions is there',
    bad: { status: {} },
    good: decisions([]),
    field: 'status.decisions',
    says: 'Required value',
  },
  {
    type: PlacementDecisions,
    rule: 'status.decisions has at most 100 items',
    bad: decisions(many(101, (index) => ({ clusterName: `c${index}`, reason: '' }))),
    good: decisions(many(100, (index) => ({ clusterName: `c${index}`, reason: '' }))),
    field: 'status.decisions',
    value: '101',
    says: 'must have at most 100 items',
  },
  {
    type: PlacementDecisions,
    rule: 'a decision names its cluster',
    bad: decisions([{ reason: '' }]),
    good: decisions([{ clusterName: 'eu-1', reason: '' }]),
    field: 'status.decisions[0].clusterName',
    says: 'Required value',
  },
  {
    type: PlacementDecisions,
    rule: 'a decision has a reason, if only an empty one',
    bad: decisions([{ clusterName: 'eu-1' }]),
    good: decisions([{ clusterName: 'eu-1', reason: '' }]),
    field: 'status.decisions[0].reason',
    says: 'Required value',
  },
  {
    type: ManagedClusterSets,
    rule: 'selectorType is known',
    bad: setSelector({ selectorType: 'Everything' }),
    good: setSelector({ selectorType: 'LabelSelector' }),
    field: 'spec.clusterSelector.selectorType',
    value: '"Everything"',
    says: 'supported values: "ExclusiveClusterSetLabel", "LabelSelector"',
  },
  {
    type: ManagedClusterSets,
    rule: 'labelSelector stands beside selectorType LabelSelector',
    bad: setSelector({ selectorType: 'ExclusiveClusterSetLabel', labelSelector: {} }),
    good: setSelector({ selectorType: 'LabelSelector', labelSelector: {} }),
    field: 'spec.clusterSelector.labelSelector',
    value: 'selectorType ExclusiveClusterSetLabel',
    says: 'it needs selectorType LabelSelector',
  },
  {
    type: ManagedClusterSets,
    rule: 'labelSelector stands beside no default selectorType',
    bad: setSelector({ labelSelector: { matchLabels: { region: 'eu' } } }),
    good: setSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'eu' } } }),
    field: 'spec.clusterSelector.labelSelector',
    value: 'selectorType ExclusiveClusterSetLabel',
    says: 'it needs selectorType LabelSelector',
  },
  {
    type: ManagedClusterSets,
    rule: 'a key of matchLabels is a label key',
    bad: setSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { 'a b': 'eu' } } }),
    good: setSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { 'a.b/c': 'eu' } } }),
    field: 'spec.clusterSelector.labelSelector.matchLabels',
    value: 'key "a b"',
    says: 'must be a label key',
  },
  {
    type: ManagedClusterSets,
    rule: 'a value of matchLabels is a label value',
    bad: setSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'e u' } } }),
    good: setSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'e.u' } } }),
    field: 'spec.clusterSelector.labelSelector.matchLabels',
    value: 'value "e u"',
    says: 'must be a label value',
  },
  {
    type: ManagedClusterSets,
    rule: 'In has values',
    bad: setExpression({ key: 'tier', operator: 'In' }),
    good: setExpression({ key: 'tier', operator: 'In', values: ['gold'] }),
    field: `${EXPRESSION}.values`,
    value: '[]',
    says: 'must not be empty with operator In',
  },
  {
    type: ManagedClusterSets,
    rule: 'DoesNotExist has no values',
    bad: setExpression({ key: 'tier', operator: 'DoesNotExist', values: ['gold'] }),
    good: setExpression({ key: 'tier', operator: 'DoesNotExist' }),
    field: `${EXPRESSION}.values`,
    value: '"gold"',
    says: 'must be empty with operator DoesNotExist',
  },
  {
    type: ManagedClusterSets,
    rule: 'an expression has a known operator',
    bad: setExpression({ key: 'tier', operator: 'Lt', values: ['1'] }),
    good: setExpression({ key: 'tier', operator: 'NotIn', values: ['1'] }),
    field: `${EXPRESSION}.operator`,
    value: '"Lt"',
    says: 'supported values: "In", "NotIn", "Exists", "DoesNotExist"',
  },
  {
    type: ManagedClusterSetBindings,
    rule: 'spec.clusterSet equals the name',
    bad: { spec: { clusterSet: 'other' } },
    good: { spec: { clusterSet: 'one' } },
    field: 'spec.clusterSet',
    value: '"other"',
    says: 'must equal metadata.name "one"',
  },
  {
    type: ManagedClusterSetBindings,
    rule: 'spec.clusterSet is there',
    bad: { spec: {} },
    good: { spec: { clusterSet: 'one' } },
    field: 'spec.clusterSet',
    says: 'Required value',
  },
  {
    type: ManagedClusterSetBindings,
    rule: 'spec is there',
    bad: {},
    good: { spec: { clusterSet: 'one' } },
    field: 'spec',
    says: 'Required value',
  },
  {
    type: ManagedClusters,
    rule: 'displayName has at most 256 characters',
    bad: { spec: { displayName: 'é'.repeat(257) } },
    good: { spec: { displayName: 'é'.repeat(256) } },
    field: 'spec.displayName',
    says: 'Too long: may not be more than 256',
  },
];

const CLAIMS: readonly Rule<readonly Rest[]>[] = [
  {
    rule: 'a claim has a name',
    bad: [{ value: 'aws' }],
    good: [{ name: 'platform', value: 'aws' }],
    field: 'status.clusterClaims[0].name',
    says: 'Required value',
  },
  {
    rule: 'the name of a claim is not empty',
    bad: [{ name: '', value: 'aws' }],
    good: [{ name: 'p', value: 'aws' }],
    field: 'status.clusterClaims[0].name',
    value: '""',
    says: 'should be at least 1 chars long',
  },
  {
    rule: 'the name of a claim has at most 253 characters',
    bad: [{ name: 'n'.repeat(254), value: 'aws' }],
    good: [{ name: 'n'.repeat(253), value: 'aws' }],
    field: 'status.clusterClaims[0].name',
    says: 'Too long: may not be more than 253 bytes',
  },
  {
    rule: 'a claim has a value',
    bad: [{ name: 'platform' }],
    good: [{ name: 'platform', value: '' }],
    field: 'status.clusterClaims[0].value',
    says: 'Required value',
  },
  {
    rule: 'the value of a claim has at most 1024 characters',
    bad: [{ name: 'platform', value: 'é'.repeat(1025) }],
    good: [{ name: 'platform', value: 'é'.repeat(1024) }],
    field: 'status.clusterClaims[0].value',
    says: 'Too long: may not be more than 1024',
  },
  {
    rule: 'a claim is named once',
    bad: [
      { name: 'platform', value: 'aws' },
      { name: 'platform', value: 'azure' },
    ],
    good: [
      { name: 'platform', value: 'aws' },
      { name: 'region', value: 'aws' },
    ],
    field: 'status.clusterClaims[1]',
    value: '"platform"',
    says: 'Duplicate value',
  },
];

describeWithServer('the API server on clusters, sets, bindings and decisions', {}, (server) => {
  test.each(RULES)('the API server rejects a $type.kind unless $rule', async (rule) => {
    expectRefusal(await tryCreate(server(), rule.type, objectOf(rule.type, { name: 'one' }, rule.bad)), rule);
  });

  test.each(RULES)('the API server accepts a $type.kind where $rule', async ({ type, good }) => {
    const { status, text } = await tryCreate(server(), type, objectOf(type, { name: 'one' }, good));

    expect({ status, text }).toMatchObject({ status: 201 });
  });

  test.each([MultiClusterEngines, ManagedClusterSets, Placements])(
    'the API server rejects the name of a $kind with 64 characters and accepts one with 63',
    async (type) => {
      const named = (length: number): ReturnType<typeof tryCreate> =>
        tryCreate(server(), type, objectOf(type, { name: 'n'.repeat(length) }, { spec: {} }));

      expectRefusal(await named(64), { field: 'metadata.name', says: 'Too long: may not be more than 63 bytes' });
      expect((await named(63)).status).toBe(201);
    },
  );

  test('the API server rejects a change of the set of a binding, whose name has to equal that of the set', async () => {
    const name = ownName('set');
    const path = pathOf(ManagedClusterSetBindings, 'default', name);
    const body = objectOf(ManagedClusterSetBindings, { name }, { spec: { clusterSet: name } });
    await server().call({ method: 'POST', path: pathOf(ManagedClusterSetBindings, 'default'), body });

    const patch = { spec: { clusterSet: 'another' } };
    const answer = await server().call({
      method: 'PATCH',
      path,
      body: patch,
      contentType: 'application/merge-patch+json',
    });
    await server().call({ method: 'DELETE', path });

    expectRefusal(answer, { field: 'spec.clusterSet', value: '"another"', says: `must equal metadata.name "${name}"` });
  });

  test('the API server sets the default selector, the exclusive one, of a set without a selector', async () => {
    const answer = await tryCreate(server(), ManagedClusterSets, objectOf(ManagedClusterSets, { name: 'one' }, {}));

    expect(answer.body.spec).toEqual({ clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } });
  });

  test.each(CLAIMS)('the API server rejects the claims of a cluster unless $rule', async (rule) => {
    const answer = await tryClaims(rule.bad);

    expectRefusal(answer, rule);
  });

  test.each(CLAIMS)('the API server accepts the claims of a cluster where $rule', async ({ good }) => {
    const { status, text } = await tryClaims(good);

    expect({ status, text }).toMatchObject({ status: 200 });
  });

  async function tryClaims(clusterClaims: readonly Rest[]): ReturnType<typeof tryCreate> {
    const name = ownName('cluster');
    const path = pathOf(ManagedClusters, '', name);
    await server().call({
      method: 'POST',
      path: pathOf(ManagedClusters, ''),
      body: objectOf(ManagedClusters, { name }, {}),
    });
    const body = { status: { clusterClaims } };
    const answer = await server().call({
      method: 'PATCH',
      path: `${path}/status?dryRun=All`,
      body,
      contentType: 'application/merge-patch+json',
    });
    await server().call({ method: 'DELETE', path });
    return answer;
  }
});
