import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { Cluster } from './cluster.js';

const HOUR = 60 * 60_000;
const ROLES = 'clusterroles.rbac.authorization.k8s.io';

describe('every namespace', () => {
  it('has a ServiceAccount and the certificate of the authority', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');

    expect(fixture.get('serviceaccounts/ns/default')).toMatchObject({ metadata: { name: 'default' } });
    expect(fixture.get('configmaps/ns/kube-root-ca.crt')).toMatchObject({
      data: { 'ca.crt': 'the bundle' },
      metadata: {
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
            'No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      },
    });
    expect(fixture.errors).toEqual([]);
  });

  it('has them again when they were deleted or changed', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    const first = fixture.get('serviceaccounts/ns/default').metadata.uid;
    await fixture.delete('serviceaccounts/ns/default');
    await fixture.patch('configmaps/ns/kube-root-ca.crt', 'merge', {
      data: { 'ca.crt': 'mine', more: '' },
      metadata: { labels: { a: 'b' } },
    });
    await fixture.idle();
    expect(fixture.get('serviceaccounts/ns/default').metadata.uid).not.toBe(first);
    expect(fixture.get('configmaps/ns/kube-root-ca.crt')).toMatchObject({
      data: { 'ca.crt': 'the bundle' },
      metadata: { labels: { a: 'b' } },
    });
    expect(fixture.get('configmaps/ns/kube-root-ca.crt').data).toEqual({ 'ca.crt': 'the bundle' });
    await fixture.delete('configmaps/ns/kube-root-ca.crt');
    await fixture.idle();

    expect(fixture.find('configmaps/ns/kube-root-ca.crt')).toBeDefined();
  });

  it('has them no more once it is being deleted', async () => {
    const fixture = new Cluster();
    await fixture.create('namespaces', { metadata: { name: 'ns' } });
    await fixture.configMap('held', { finalizers: ['a.example.com/hold'] });
    await fixture.delete('namespaces/ns');
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['held']);
    expect(fixture.find('configmaps/ns/kube-root-ca.crt')).toBeUndefined();
    expect(fixture.find('serviceaccounts/ns/default')).toBeUndefined();
    expect(fixture.errors).toEqual([]);
  });

  it('keeps what somebody else made', async () => {
    const fixture = new Cluster();
    await Promise.all([
      fixture.namespace('ns'),
      fixture.create('serviceaccounts/ns', { metadata: { name: 'default', labels: { mine: 'yes' } } }),
    ]);
    await fixture.idle();

    expect(fixture.get('serviceaccounts/ns/default').metadata.labels).toEqual({ mine: 'yes' });
    expect(fixture.errors).toEqual([]);
  });
});

function event(name: string, more: { readonly [key: string]: Json } = {}): Json {
  return { metadata: { name }, involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'ns' }, ...more };
}

function events(fixture: Cluster): string[] {
  return fixture.store.list('events', '').map(({ key }) => key);
}

describe('an event', () => {
  it('goes an hour after it was last written', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('events/ns', event('a'));
    await fixture.create('events/ns', event('b'));
    await fixture.clock.advance(HOUR / 2);
    await fixture.patch('events/ns/a', 'merge', { count: 2 });
    await fixture.clock.advance(HOUR / 2 - 1);
    expect(events(fixture)).toEqual(['ns/a', 'ns/b']);
    await fixture.clock.advance(2_000);
    await fixture.idle();
    expect(events(fixture)).toEqual(['ns/a']);
    await fixture.clock.advance(HOUR / 2);
    await fixture.idle();

    expect(events(fixture)).toEqual([]);
    expect(fixture.clock.pending).toBe(0);
    expect(fixture.errors).toEqual([]);
  });

  it('has what is left of its hour after a new start', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('events/ns', event('old'));
    await fixture.create('events/ns', event('again', { lastTimestamp: '2026-01-02T03:44:05Z' }));
    await fixture.clock.advance(HOUR / 2);
    await fixture.controllers.end();
    fixture.restartControllers();
    await fixture.clock.advance(HOUR / 2 + 2_000);
    await fixture.idle();
    expect(events(fixture)).toEqual(['ns/again']);
    await fixture.clock.advance(HOUR);
    await fixture.idle();

    expect(events(fixture)).toEqual([]);
  });
});

function rule(resource: string): { readonly [key: string]: Json } {
  return { verbs: ['get'], apiGroups: [''], resources: [resource] };
}

function role(name: string, labels: { readonly [key: string]: string }, ...rules: readonly Json[]): Json {
  return { metadata: { name, labels }, rules };
}

describe('a ClusterRole that gathers others', () => {
  it('has the rules of those that its selectors choose, each once, and follows them', async () => {
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
