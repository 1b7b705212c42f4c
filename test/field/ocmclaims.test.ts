import { describe, expect, it } from '@jest/globals';

import { fromOcm } from '../../src/cli/commands/plan.js';
import { claimsOf } from '../../src/domain/agent/report/claims.js';
import { nodeFacts } from '../../src/domain/agent/report/nodes.js';
import { clusterProfileInventory, ocmInventory } from '../../src/domain/inventories/source.js';
import { matches } from '../../src/domain/placement/select/rules.js';
import { clusterView } from '../../src/domain/placement/spec/cluster.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { load } from 'js-yaml';

/**
 * A Placement of Open Cluster Management kept clusters of OpenStack out by the claim `platform.open-cluster-management.io`. Carried
 * over, it selected them: an agent publishes the platform by another name, and no line said so. The same Placement changed when
 * a cluster moved from the adapter to an agent. And one object that could not be carried over kept the others from being printed.
 * Right: names that both sides have are translated, and the adapter publishes them by the names of the agent too; each other name
 * that OCM reserves is a difference that is named; what can be carried over is printed, whatever else is in the file.
 */

const OCM = 'cluster.open-cluster-management.io';
type Spec = Record<string, unknown>;

function placement(spec: Spec, name = 'web'): KubeObject & { spec: Spec } {
  return { apiVersion: `${OCM}/v1beta1`, kind: 'Placement', metadata: { name, namespace: 'shop' }, spec };
}

const expression = (key: string, operator: string, ...values: string[]): object => ({ key, operator, values });
const claimSelector = (...matchExpressions: object[]): Spec => ({
  predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions } } }],
});

/** The claims that an agent publishes of a cluster with this Node. */
function byAgent(providerID: string, version: string): ClusterClaims {
  const labels = { 'topology.kubernetes.io/region': 'eu-west-1', 'topology.kubernetes.io/zone': 'eu-west-1a' };
  const nodes = [nodeFacts({ metadata: { name: 'node', labels }, spec: { providerID } })];
  return claimsOf({ clusterId: 'uid-1', version, nodes, configMaps: [] }).claims;
}
type ClusterClaims = readonly { readonly name: string; readonly value: string }[];

const RESERVED = '.open-cluster-management.io';
const ocmClaims = (platform: string, product: string, kubeversion: string): ClusterClaims => [
  { name: 'id.k8s.io', value: 'edge-1' },
  { name: `kubeversion${RESERVED}`, value: kubeversion },
  { name: `platform${RESERVED}`, value: platform },
  { name: `product${RESERVED}`, value: product },
  { name: `region${RESERVED}`, value: 'eu-west-1' },
];

/** The claims that the adapter publishes of a cluster of OCM with these. */
function byAdapter(clusterClaims: ClusterClaims): ClusterClaims {
  const cluster = { metadata: { name: 'edge-1' }, spec: { hubAcceptsClient: true }, status: { clusterClaims } };
  return ocmInventory.read(cluster)?.claims ?? [];
}

async function carried(spec: Spec): Promise<{ readonly spec: unknown; readonly errors: readonly string[] }> {
  const { text, errors } = await fromOcm([placement(spec)], 'text');
  return { spec: Object(load(text))['spec'], errors };
}

async function selects(spec: Spec, claims: ClusterClaims): Promise<boolean> {
  const rules = compileSpec((await carried(spec)).spec);
  return matches(
    rules,
    clusterView({ metadata: { name: 'edge-1' }, spec: {}, status: { clusterClaims: [...claims] } }),
  );
}

describe('claims that agents and Open Cluster Management have by different names', () => {
  const openstack = byAgent('openstack:///1', 'v1.36.3');
  const aws = byAgent('aws:///eu-west-1a/i-1', 'v1.35.1-eks-1');

  it.each<[string, Spec, boolean, boolean]>([
    ['platform NotIn', claimSelector(expression(`platform${RESERVED}`, 'NotIn', 'OpenStack')), false, true],
    ['platform In', claimSelector(expression(`platform${RESERVED}`, 'In', 'AWS')), false, true],
    ['product NotIn', claimSelector(expression(`product${RESERVED}`, 'NotIn', 'EKS')), true, false],
    ['kubeversion In', claimSelector(expression(`kubeversion${RESERVED}`, 'In', 'v1.36.3')), true, false],
    ['region Exists', claimSelector(expression(`region${RESERVED}`, 'Exists')), true, true],
  ])('%s selects the same with the adapter as with an agent', async (_what, spec, first, second) => {
    const fromFirst = byAdapter(ocmClaims('OpenStack', 'Other', 'v1.36.3'));
    const fromSecond = byAdapter(ocmClaims('AWS', 'EKS', 'v1.35.1-eks-1'));

    expect([await selects(spec, openstack), await selects(spec, aws)]).toEqual([first, second]);
    expect([await selects(spec, fromFirst), await selects(spec, fromSecond)]).toEqual([first, second]);
  });

  it.each([
    ['platform', true],
    ['product', true],
    ['region', false],
    ['kubeversion', false],
  ])('the line about %s speaks of Other where OCM has that value', async (claim, hasOther) => {
    const { errors } = await carried(claimSelector(expression(`${claim}${RESERVED}`, 'In', 'x')));

    expect(errors).toHaveLength(1);
    expect(errors[0]?.includes('Other')).toBe(hasOther);
  });

  it('a cluster whose platform and product OCM does not know has no such claims, as with an agent', () => {
    const names = byAdapter(ocmClaims('Other', 'Other', 'v1.36.3')).map(({ name }) => name);

    expect(names).toContain(`platform${RESERVED}`);
    expect(names).not.toContain('platform.cluster.fleetmgmt.io');
    expect(names).not.toContain('product.cluster.fleetmgmt.io');
  });

  it('a claim of the name that agents use counts before the one of OCM, and a ClusterProfile is read alike', () => {
    const own = { name: 'platform.cluster.fleetmgmt.io', value: 'Moon' };
    const read = byAdapter([...ocmClaims('AWS', 'EKS', 'v1'), own]);
    const profile = clusterProfileInventory.read({
      metadata: { name: 'a', namespace: 'b' },
      status: { properties: ocmClaims('AWS', 'EKS', 'v1') },
    });

    expect(read.filter(({ name }) => name === own.name)).toEqual([own]);
    expect(profile?.claims).toContainEqual({ name: own.name, value: 'AWS' });
  });

  it('names in groups and in spread constraints are translated, too', async () => {
    const { spec } = await carried({
      numberOfClusters: 2,
      spreadPolicy: { spreadConstraints: [{ topologyKey: `region${RESERVED}`, topologyKeyType: 'Claim' }] },
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: [
            {
              groupName: 'a',
              groupClusterSelector: {
                claimSelector: { matchExpressions: [expression(`platform${RESERVED}`, 'In', 'AWS')] },
              },
            },
          ],
        },
      },
    });

    expect(JSON.stringify(spec)).not.toContain(RESERVED);
  });
});

describe('names that only Open Cluster Management has', () => {
  it.each<[string, Spec, RegExp]>([
    [
      'a translated claim',
      claimSelector(expression(`platform${RESERVED}`, 'In', 'AWS')),
      /platform\.open.* is platform\.cluster\.fleetmgmt\.io here/,
    ],
    [
      'the id of a cluster',
      claimSelector(expression('id.k8s.io', 'In', 'a')),
      /id\.k8s\.io: an agent publishes the uid/,
    ],
    [
      'a claim of OpenShift',
      claimSelector(expression('version.openshift.io', 'Exists')),
      /version\.openshift\.io: clusters that the adapter reads have it/,
    ],
    [
      'the URL of a console',
      claimSelector(expression(`consoleurl.cluster${RESERVED}`, 'Exists')),
      /consoleurl.*: clusters that the adapter reads/,
    ],
    [
      'the label of an add-on',
      {
        predicates: [
          {
            requiredClusterSelector: {
              labelSelector: { matchLabels: { 'feature.open-cluster-management.io/addon-a': 'available' } },
            },
          },
        ],
      },
      /label feature\..*: clusters that the adapter reads/,
    ],
    [
      'a claim in an expression',
      {
        predicates: [
          {
            requiredClusterSelector: {
              celSelector: {
                celExpressions: [
                  `managedCluster.status.clusterClaims.exists(c, c.name == "platform${RESERVED}" && c.value == "AWS")`,
                ],
              },
            },
          },
        ],
      },
      /platform\.open.* is platform\.cluster\.fleetmgmt\.io here.*not rewritten/,
    ],
    [
      'a label in an expression',
      {
        predicates: [
          {
            requiredClusterSelector: {
              celSelector: { celExpressions: [`managedCluster.metadata.labels["${OCM}/clusterset"] == "a"`] },
            },
          },
        ],
      },
      /clusterset: clusters that the adapter reads/,
    ],
    [
      'a label that clusters are spread by',
      {
        numberOfClusters: 1,
        spreadPolicy: { spreadConstraints: [{ topologyKey: `${OCM}/clusterset`, topologyKeyType: 'Label' }] },
      },
      /clusterset: clusters that the adapter reads/,
    ],
  ])('%s is named', async (_what, spec, text) => {
    const { errors } = await carried(spec);

    expect(errors.join('\n')).toMatch(text);
  });

  it('a label of a set is named', async () => {
    const clusterSelector = {
      selectorType: 'LabelSelector',
      labelSelector: { matchLabels: { [`${OCM}/clusterset`]: 'a' } },
    };
    const set = {
      apiVersion: `${OCM}/v1beta2`,
      kind: 'ManagedClusterSet',
      metadata: { name: 'a' },
      spec: { clusterSelector },
    };
    const { errors } = await fromOcm([set], 'text');

    expect(errors.join('\n')).toMatch(/label .*clusterset: clusters that the adapter reads/);
  });

  it('names of people are not named', async () => {
    const { errors } = await carried(
      claimSelector(expression('team', 'In', 'blue'), expression('open-cluster-management.io.example.com', 'Exists')),
    );

    expect(errors).toEqual([]);
  });
});

describe('a file with an object that cannot be carried over', () => {
  const scores = placement(
    {
      predicates: [
        { requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.scores("a") > 1'] } } },
      ],
    },
    'scored',
  );

  it('the others are printed, and the fault is a line of its own with exit code 1', async () => {
    const objects = [placement({}, 'a'), scores, placement({ numberOfClusters: -1 }, 'b'), placement({}, 'c')];
    const { text, errors, exitCode } = await fromOcm(objects, 'json');
    const items = JSON.parse(text) as { readonly items: readonly KubeObject[] };

    expect(items.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(exitCode).toBe(1);
    expect(errors.filter((one) => one.includes('is not carried over'))).toEqual([
      expect.stringMatching(/^Placement shop\/scored is not carried over: .*calls scores\(\)/),
      expect.stringMatching(/^Placement shop\/b is not carried over: .*numberOfClusters/),
    ]);
  });

  it('without any other nothing is printed', async () => {
    expect(await fromOcm([scores], 'text')).toMatchObject({ text: '', exitCode: 1 });
  });
});
