import { describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { Cluster } from './cluster.js';

const ROLES = 'clusterroles.rbac.authorization.k8s.io';

function rule(resource: string): { readonly [key: string]: Json } {
  return { verbs: ['get'], apiGroups: [''], resources: [resource] };
}

function role(name: string, labels: { readonly [key: string]: string }, ...rules: readonly Json[]): Json {
  return { metadata: { name, labels }, rules };
}

describe('aggregation of ClusterRoles', () => {
  it('an aggregated ClusterRole has the rules of all matching roles without duplicates, and follows their changes', async () => {
    const fixture = new Cluster();
    await fixture.create(ROLES, role('z', { to: 'all' }, rule('pods'), rule('nodes')));
    await fixture.create(ROLES, role('a', { to: 'all', also: 'yes' }, rule('secrets'), rule('pods')));
    await fixture.create(ROLES, role('n', { to: 'none' }, rule('leases')));
    const selectors = [
      { matchLabels: { also: 'yes' } },
      { matchExpressions: [{ key: 'to', operator: 'In', values: ['all'] }] },
    ];
    await fixture.create(ROLES, {
      metadata: { name: 'all' },
      aggregationRule: { clusterRoleSelectors: selectors },
      rules: [rule('own')],
    });
    await fixture.idle();
    expect(fixture.get(`${ROLES}/all`)['rules']).toEqual([rule('secrets'), rule('pods'), rule('nodes')]);
    expect(
      fixture.get(`${ROLES}/all`).metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toEqual([
      ['clusterrole-aggregation-controller', 'Apply'],
      ['test', 'Update'],
    ]);
    const { resourceVersion } = fixture.get(`${ROLES}/all`).metadata;
    await fixture.patch(`${ROLES}/n`, 'merge', { metadata: { labels: { more: 'x' } } });
    await fixture.idle();
    expect(fixture.get(`${ROLES}/all`).metadata.resourceVersion).toBe(resourceVersion);
    await fixture.patch(`${ROLES}/n`, 'merge', { metadata: { labels: { to: 'all' } } });
    await fixture.delete(`${ROLES}/z`);
    await fixture.idle();
    expect(fixture.get(`${ROLES}/all`)['rules']).toEqual([rule('secrets'), rule('pods'), rule('leases')]);
    await fixture.delete(`${ROLES}/a`);
    await fixture.delete(`${ROLES}/n`);
    await fixture.idle();

    expect(fixture.get(`${ROLES}/all`)['rules'] ?? []).toEqual([]);
    expect(fixture.errors).toEqual([]);
  });
});
