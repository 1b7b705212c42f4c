import { describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { Cluster } from './cluster.js';

const NAME = 'kubernetes.io/service-account.name';
const TYPE = 'kubernetes.io/service-account-token';

function secret(account: string, more: { readonly [key: string]: Json } = {}): Json {
  return { metadata: { name: 's', annotations: { [NAME]: account } }, type: TYPE, ...more };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('the token controller', () => {
  it('a token Secret gets CA certificates, namespace and token', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    const { uid = '' } = fixture.get('serviceaccounts/ns/default').metadata;
    await fixture.create('secrets/ns', secret('default', { data: { more: 'bW9yZQ==' } }));
    await fixture.idle();

    expect(fixture.get('secrets/ns/s')).toMatchObject({
      metadata: { annotations: { [NAME]: 'default', 'kubernetes.io/service-account.uid': uid } },
      data: {
        more: 'bW9yZQ==',
        'ca.crt': base64('the bundle'),
        namespace: base64('ns'),
        token: base64(`token of default (${uid}) in s`),
      },
    });
    expect(fixture.errors).toEqual([]);
  });

  it('a complete token Secret is not written again after a restart', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('secrets/ns', secret('default'));
    await fixture.idle();
    const { resourceVersion } = fixture.get('secrets/ns/s').metadata;
    await fixture.controllers.end();
    fixture.restartControllers();
    await fixture.idle();

    expect(fixture.get('secrets/ns/s').metadata.resourceVersion).toBe(resourceVersion);
  });

  it('a Secret of another type is not changed', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('secrets/ns', secret('default', { type: 'Opaque' }));
    await fixture.create('secrets/ns', { metadata: { name: 'plain' } });
    await fixture.idle();

    expect([fixture.get('secrets/ns/s')['data'], fixture.get('secrets/ns/plain')['data']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('a token Secret is deleted with its ServiceAccount, and a deleted one is removed from the list of its ServiceAccount', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('serviceaccounts/ns', {
      metadata: { name: 'robot' },
      secrets: [{ name: 's' }, { name: 'other' }],
    });
    await fixture.create('secrets/ns', secret('robot'));
    await fixture.idle();
    await fixture.delete('secrets/ns/s');
    await fixture.idle();
    const references = fixture.get('serviceaccounts/ns/robot')['secrets'];
    await fixture.create('secrets/ns', secret('robot'));
    await fixture.idle();
    await Promise.all([
      fixture.delete('serviceaccounts/ns/robot'),
      fixture.create('serviceaccounts/ns', { metadata: { name: 'robot' } }).catch(() => undefined),
    ]);
    await fixture.idle();

    expect(references).toEqual([{ name: 'other' }]);
    expect(fixture.find('secrets/ns/s')).toBeUndefined();
    expect(fixture.errors).toEqual([]);
  });
});
