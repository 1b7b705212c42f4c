import { describe, expect, it } from '@jest/globals';
import { Cluster } from './cluster.js';

describe('default objects of namespaces', () => {
  it('an active namespace gets the ServiceAccount default and the ConfigMap kube-root-ca.crt', async () => {
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

  it('the default objects of a namespace are restored when they are deleted or changed', async () => {
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

  it('the default objects of a terminating namespace are not restored', async () => {
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

  it('a ServiceAccount default that a client created is kept', async () => {
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
