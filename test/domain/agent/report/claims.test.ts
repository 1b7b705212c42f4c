import { describe, expect, it } from '@jest/globals';

import { claimsOf, type ClaimConfigMap, type ClaimSources } from '../../../../src/domain/agent/report/claims.js';
import { nodeFacts, type NodeFacts } from '../../../../src/domain/agent/report/nodes.js';

const SUFFIX = '.cluster.fleetmgmt.io';

function node(changes: Partial<NodeFacts>): NodeFacts {
  return { ...nodeFacts({}), ...changes };
}

function configMap(name: string, data: Readonly<Record<string, string>>): ClaimConfigMap {
  return { metadata: { name, namespace: 'multicluster-engine-agent' }, data };
}

function claims(changes: Partial<ClaimSources>): Record<string, string> {
  const sources = { clusterId: 'id', version: 'v1.36.3', nodes: [], configMaps: [], ...changes };
  return Object.fromEntries(claimsOf(sources).claims.map(({ name, value }) => [name, value]));
}

function rejected(...configMaps: readonly ClaimConfigMap[]): readonly string[] {
  return claimsOf({ clusterId: 'id', version: 'v1.36.3', nodes: [], configMaps }).rejected;
}

describe('the claims of a cluster', () => {
  it('a cluster whose Nodes say nothing has its id and version as claims', () => {
    expect(claims({ nodes: [node({})] })).toEqual({ 'id.k8s.io': 'id', [`kubeversion${SUFFIX}`]: 'v1.36.3' });
  });

  it('several regions, zones and platforms are sorted and joined by commas', () => {
    const nodes = [
      node({ region: 'eu-west-1', zone: 'eu-west-1b', providerId: 'kind://docker/a/b' }),
      node({ region: 'eu-west-1', zone: 'eu-west-1a', providerId: 'aws:///eu-west-1a/i-1' }),
      node({ providerId: 'not a provider' }),
    ];

    expect(claims({ nodes })).toMatchObject({
      [`platform${SUFFIX}`]: 'AWS,kind',
      [`region${SUFFIX}`]: 'eu-west-1',
      [`zones${SUFFIX}`]: 'eu-west-1a,eu-west-1b',
    });
  });

  it.each([
    ['v1.31.4-eks-2d5f260', 'EKS'],
    ['v1.31.4-gke.1256000', 'GKE'],
    ['v1.31.1-aliyun.1', 'ACK'],
    ['v1.31.4+IKS', 'IKS'],
    ['v1.31.4+k3s1', 'K3s'],
    ['v1.31.4+rke2r1', 'RKE2'],
    ['v1.31.4+k0s', 'k0s'],
    ['v1.31.4+vmware.1-fips', 'TKG'],
    ['v1.31.4', undefined],
  ])('the product of version %s is %s', (version, product) => {
    expect(claims({ version })[`product${SUFFIX}`]).toBe(product);
  });

  it.each([
    ['aws:///eu-west-1a/i-1', 'AWS'],
    ['azure:///subscriptions/x', 'Azure'],
    ['gce://project/zone/name', 'GCP'],
    ['ibm://account/region', 'IBM'],
    ['openstack:///id', 'OpenStack'],
    ['vsphere://id', 'VSphere'],
    ['hcloud://1', 'hcloud'],
    ['constructor://1', 'constructor'],
  ])('the platform of providerID %s is %s', (providerId, platform) => {
    expect(claims({ nodes: [node({ providerId })] })[`platform${SUFFIX}`]).toBe(platform);
  });

  it('a claim that would be too long has the values that fit', () => {
    const nodes = Array.from({ length: 200 }, (_, at) => node({ zone: `zone-${1000 + at}` }));
    const value = claims({ nodes })[`zones${SUFFIX}`] ?? '';

    expect(value.length).toBeLessThanOrEqual(1024);
    expect(value.split(',')).toHaveLength(102);
    expect(value.endsWith(',zone-1101')).toBe(true);
  });

  it('the claims are sorted by name, whatever the order of Nodes and ConfigMaps is', () => {
    const maps = [configMap('b', { team: 'b', z: '1' }), configMap('a', { team: 'a', 'app.example.com/x': '2' })];
    const nodes = [node({ zone: 'b' }), node({ zone: 'a' })];
    const sources = { clusterId: 'id', version: 'v1.36.3' };
    const one = claimsOf({ ...sources, nodes, configMaps: maps });

    expect(one.claims.map(({ name }) => name)).toEqual([
      'app.example.com/x',
      'id.k8s.io',
      `kubeversion${SUFFIX}`,
      'team',
      'z',
      `zones${SUFFIX}`,
    ]);
    expect(claimsOf({ ...sources, nodes: [...nodes].reverse(), configMaps: [...maps].reverse() })).toEqual(one);
  });
});

describe('custom claims', () => {
  it('each entry of the ConfigMaps is a claim', () => {
    const configMaps = [configMap('one', { team: 'blue', 'example.com/tier': 'gold' }), configMap('none', {})];

    expect(claims({ configMaps })).toMatchObject({ team: 'blue', 'example.com/tier': 'gold' });
  });

  it.each([
    ['id.k8s.io', 'x', 'this name is reserved for what the agent finds out itself'],
    [`region${SUFFIX}`, 'x', 'this name is reserved for what the agent finds out itself'],
    ['team', '', 'its value is empty'],
    ['team', 'x'.repeat(1025), 'its value is longer than 1024 characters'],
  ])('the custom claim %s is not published with the value %s', (name, value, reason) => {
    expect(rejected(configMap('one', { [name]: value }))).toEqual([`ConfigMap one: claim ${name}: ${reason}`]);
  });

  it('of several custom claims with one name that of the first ConfigMap by name is published', () => {
    const configMaps = [configMap('b', { team: 'red' }), configMap('a', { team: 'blue' })];

    expect(claims({ configMaps })['team']).toBe('blue');
    expect(rejected(...configMaps)).toEqual(['ConfigMap b: claim team: an earlier ConfigMap has a claim of this name']);
  });

  it('64 custom claims are published', () => {
    const data = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`claim-${100 + at}`, 'x']));

    expect(Object.keys(claims({ configMaps: [configMap('one', data)] }))).toHaveLength(66);
    expect(rejected(configMap('one', data))).toEqual(['ConfigMap one: claim claim-164: there are 64 claims before it']);
  });
});
