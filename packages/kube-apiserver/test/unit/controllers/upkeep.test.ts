import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { Cluster } from './cluster.js';

const HOUR = 60 * 60_000;
const ROLES = 'clusterroles.rbac.authorization.k8s.io';

describe('every namespace', () => {
  it('has a ServiceAccount and the certificate of the authority', async () => {
    const room = new Cluster();
    await room.space('ns');

    expect(room.get('serviceaccounts/ns/default')).toMatchObject({ metadata: { name: 'default' } });
    expect(room.get('configmaps/ns/kube-root-ca.crt')).toMatchObject({
      data: { 'ca.crt': 'the bundle' },
      metadata: {
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
            'No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      },
    });
    expect(room.errors).toEqual([]);
  });

  it('has them again when they were deleted or changed', async () => {
    const room = new Cluster();
    await room.space('ns');
    const first = room.get('serviceaccounts/ns/default').metadata.uid;
    await room.delete('serviceaccounts/ns/default');
    await room.patch('configmaps/ns/kube-root-ca.crt', 'merge', {
      data: { 'ca.crt': 'mine', more: '' },
      metadata: { labels: { a: 'b' } },
    });
    await room.idle();
    expect(room.get('serviceaccounts/ns/default').metadata.uid).not.toBe(first);
    expect(room.get('configmaps/ns/kube-root-ca.crt')).toMatchObject({
      data: { 'ca.crt': 'the bundle' },
      metadata: { labels: { a: 'b' } },
    });
    expect(room.get('configmaps/ns/kube-root-ca.crt').data).toEqual({ 'ca.crt': 'the bundle' });
    await room.delete('configmaps/ns/kube-root-ca.crt');
    await room.idle();

    expect(room.find('configmaps/ns/kube-root-ca.crt')).toBeDefined();
  });

  it('has them no more once it is being deleted', async () => {
    const room = new Cluster();
    await room.create('namespaces', { metadata: { name: 'ns' } });
    await room.config('held', { finalizers: ['a.example.com/hold'] });
    await room.delete('namespaces/ns');
    await room.idle();

    expect(room.names()).toEqual(['held']);
    expect(room.find('configmaps/ns/kube-root-ca.crt')).toBeUndefined();
    expect(room.find('serviceaccounts/ns/default')).toBeUndefined();
    expect(room.errors).toEqual([]);
  });

  it('keeps what somebody else made', async () => {
    const room = new Cluster();
    await Promise.all([
      room.namespace('ns'),
      room.create('serviceaccounts/ns', { metadata: { name: 'default', labels: { mine: 'yes' } } }),
    ]);
    await room.idle();

    expect(room.get('serviceaccounts/ns/default').metadata.labels).toEqual({ mine: 'yes' });
    expect(room.errors).toEqual([]);
  });
});

function event(name: string, more: { readonly [key: string]: Json } = {}): Json {
  return { metadata: { name }, involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'ns' }, ...more };
}

function events(room: Cluster): string[] {
  return room.store.list('events', '').map(({ key }) => key);
}

describe('an event', () => {
  it('goes an hour after it was last written', async () => {
    const room = new Cluster();
    await room.space('ns');
    await room.create('events/ns', event('a'));
    await room.create('events/ns', event('b'));
    await room.clock.advance(HOUR / 2);
    await room.patch('events/ns/a', 'merge', { count: 2 });
    await room.clock.advance(HOUR / 2 - 1);
    expect(events(room)).toEqual(['ns/a', 'ns/b']);
    await room.clock.advance(2_000);
    await room.idle();
    expect(events(room)).toEqual(['ns/a']);
    await room.clock.advance(HOUR / 2);
    await room.idle();

    expect(events(room)).toEqual([]);
    expect(room.clock.pending).toBe(0);
    expect(room.errors).toEqual([]);
  });

  it('has what is left of its hour after a new start', async () => {
    const room = new Cluster();
    await room.space('ns');
    await room.create('events/ns', event('old'));
    await room.create('events/ns', event('again', { lastTimestamp: '2026-01-02T03:44:05Z' }));
    await room.clock.advance(HOUR / 2);
    await room.controllers.end();
    room.startAgain();
    await room.clock.advance(HOUR / 2 + 2_000);
    await room.idle();
    expect(events(room)).toEqual(['ns/again']);
    await room.clock.advance(HOUR);
    await room.idle();

    expect(events(room)).toEqual([]);
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
    const room = new Cluster();
    await room.create(ROLES, role('z', { to: 'all' }, rule('pods'), rule('nodes')));
    await room.create(ROLES, role('a', { to: 'all', also: 'yes' }, rule('secrets'), rule('pods')));
    await room.create(ROLES, role('n', { to: 'none' }, rule('leases')));
    const selectors = [
      { matchLabels: { also: 'yes' } },
      { matchExpressions: [{ key: 'to', operator: 'In', values: ['all'] }] },
    ];
    await room.create(ROLES, {
      metadata: { name: 'all' },
      aggregationRule: { clusterRoleSelectors: selectors },
      rules: [rule('own')],
    });
    await room.idle();
    expect(room.get(`${ROLES}/all`)['rules']).toEqual([rule('secrets'), rule('pods'), rule('nodes')]);
    expect(
      room.get(`${ROLES}/all`).metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toEqual([
      ['clusterrole-aggregation-controller', 'Apply'],
      ['test', 'Update'],
    ]);
    const { resourceVersion } = room.get(`${ROLES}/all`).metadata;
    await room.patch(`${ROLES}/n`, 'merge', { metadata: { labels: { more: 'x' } } });
    await room.idle();
    expect(room.get(`${ROLES}/all`).metadata.resourceVersion).toBe(resourceVersion);
    await room.patch(`${ROLES}/n`, 'merge', { metadata: { labels: { to: 'all' } } });
    await room.delete(`${ROLES}/z`);
    await room.idle();
    expect(room.get(`${ROLES}/all`)['rules']).toEqual([rule('secrets'), rule('pods'), rule('leases')]);
    await room.delete(`${ROLES}/a`);
    await room.delete(`${ROLES}/n`);
    await room.idle();

    expect(room.get(`${ROLES}/all`)['rules'] ?? []).toEqual([]);
    expect(room.errors).toEqual([]);
  });
});
