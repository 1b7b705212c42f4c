import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { Cluster } from './cluster.js';

const NAME = 'kubernetes.io/service-account.name';
const TYPE = 'kubernetes.io/service-account-token';

function secret(account: string, more: { readonly [key: string]: Json } = {}): Json {
  return { metadata: { name: 's', annotations: { [NAME]: account } }, type: TYPE, ...more };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('the Secret of a ServiceAccount', () => {
  it('is given certificates, namespace and token', async () => {
    const room = new Cluster();
    await room.space('ns');
    const { uid = '' } = room.get('serviceaccounts/ns/default').metadata;
    await room.create('secrets/ns', secret('default', { data: { more: 'bW9yZQ==' } }));
    await room.idle();

    expect(room.get('secrets/ns/s')).toMatchObject({
      metadata: { annotations: { [NAME]: 'default', 'kubernetes.io/service-account.uid': uid } },
      data: {
        more: 'bW9yZQ==',
        'ca.crt': base64('the bundle'),
        namespace: base64('ns'),
        token: base64(`token of default (${uid}) in s`),
      },
    });
    expect(room.errors).toEqual([]);
  });

  it('is written once, and again after a restart only where it lacks something', async () => {
    const room = new Cluster();
    await room.space('ns');
    await room.create('secrets/ns', secret('default'));
    await room.idle();
    const { resourceVersion } = room.get('secrets/ns/s').metadata;
    await room.controllers.end();
    room.startAgain();
    await room.idle();

    expect(room.get('secrets/ns/s').metadata.resourceVersion).toBe(resourceVersion);
  });

  it('of another type is left alone', async () => {
    const room = new Cluster();
    await room.space('ns');
    await room.create('secrets/ns', secret('default', { type: 'Opaque' }));
    await room.create('secrets/ns', { metadata: { name: 'plain' } });
    await room.idle();

    expect([room.get('secrets/ns/s')['data'], room.get('secrets/ns/plain')['data']]).toEqual([undefined, undefined]);
  });

  it('goes when its account does, also where that is made anew, and leaves the list of its account', async () => {
    const room = new Cluster();
    await room.space('ns');
    await room.create('serviceaccounts/ns', {
      metadata: { name: 'robot' },
      secrets: [{ name: 's' }, { name: 'other' }],
    });
    await room.create('secrets/ns', secret('robot'));
    await room.idle();
    await room.delete('secrets/ns/s');
    await room.idle();
    const listed = room.get('serviceaccounts/ns/robot')['secrets'];
    await room.create('secrets/ns', secret('robot'));
    await room.idle();
    await Promise.all([
      room.delete('serviceaccounts/ns/robot'),
      room.create('serviceaccounts/ns', { metadata: { name: 'robot' } }).catch(() => undefined),
    ]);
    await room.idle();

    expect(listed).toEqual([{ name: 'other' }]);
    expect(room.find('secrets/ns/s')).toBeUndefined();
    expect(room.errors).toEqual([]);
  });
});
