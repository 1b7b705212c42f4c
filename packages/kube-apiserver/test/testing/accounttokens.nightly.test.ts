import { beforeEach, expect, jest, test } from '@jest/globals';

import type { AnyObject } from '../../testing/controlplane/api.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';
import { ownName } from '../../testing/names.js';
import { waitFor } from '../../testing/wait.js';

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';
const CLAIM = 'kubernetes.io/serviceaccount/';

interface Secret {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>>; readonly uid?: string };
  readonly data?: Readonly<Record<string, string>>;
}

jest.setTimeout(180_000);

describeWithServer('tokens of ServiceAccounts in Secrets', { capabilities: ['serviceAccounts'] }, (server) => {
  let namespace: string;
  let base: string;
  let account: AnyObject;

  beforeEach(async () => {
    namespace = ownName('tokens');
    base = `/api/v1/namespaces/${namespace}`;
    await post('/api/v1/namespaces', { metadata: { name: namespace } });
    account = await post(`${base}/serviceaccounts`, { metadata: { name: 'robot' } });
  });

  const post = async (path: string, body: unknown): Promise<AnyObject> => {
    const answer = await server().call({ method: 'POST', path, body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const make = (name: string, more: object = {}): Promise<AnyObject> =>
    post(`${base}/secrets`, { metadata: { name, annotations: { [NAME]: 'robot' } }, type: TYPE, ...more });
  const secret = async (name: string): Promise<Secret | undefined> => {
    const { status, text } = await server().call({ path: `${base}/secrets/${name}` });
    return status === 200 ? JSON.parse(text) : undefined;
  };
  const filled = (name: string): Promise<Secret> =>
    waitFor(`${name} to hold a token`, async () => {
      const found = await secret(name);
      return found?.data?.['token'] === undefined ? undefined : found;
    });
  const gone = (name: string): Promise<boolean> =>
    waitFor(`${name} to go`, async () => (await secret(name)) === undefined);
  const review = async (token: string, audiences?: readonly string[]): Promise<unknown> => {
    const { status } = await post('/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    });
    return status;
  };
  const whoIs = async (token: string): Promise<number> =>
    (await server().call({ path: '/apis/authentication.k8s.io/v1', token })).status;

  test('a Secret of type service-account-token gets a token, the CA and the namespace, and the token is valid', async () => {
    await make('s');
    const { data = {}, metadata } = await filled('s');
    const token = text(data['token']);
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

    expect(metadata?.annotations).toEqual({ [NAME]: 'robot', [UID]: account.metadata?.uid });
    expect([Object.keys(data).sort(), text(data['namespace'])]).toEqual([['ca.crt', 'namespace', 'token'], namespace]);
    expect(text(data['ca.crt'])).toContain('BEGIN CERTIFICATE');
    expect(claims).toEqual({
      iss: 'kubernetes/serviceaccount',
      sub: `system:serviceaccount:${namespace}:robot`,
      [`${CLAIM}namespace`]: namespace,
      [`${CLAIM}secret.name`]: 's',
      [`${CLAIM}service-account.name`]: 'robot',
      [`${CLAIM}service-account.uid`]: account.metadata?.uid,
    });
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: {
        username: `system:serviceaccount:${namespace}:robot`,
        uid: account.metadata?.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      },
    });
    expect(await review(token, ['other'])).not.toHaveProperty('authenticated');
  });

  test('the token of a Secret is invalid once the Secret is deleted or holds another token', async () => {
    await make('first');
    await make('second');
    const [first, second] = [
      text((await filled('first')).data?.['token']),
      text((await filled('second')).data?.['token']),
    ];
    expect([await whoIs(first), await whoIs(second)]).toEqual([200, 200]);
    await server().call({ method: 'DELETE', path: `${base}/secrets/first` });
    await server().call({
      method: 'PATCH',
      path: `${base}/secrets/second`,
      body: { data: { token: btoa('x') } },
      contentType: 'application/merge-patch+json',
    });
    await gone('first');
    await waitFor('them to be refused', async () => (await whoIs(first)) === 401 && (await whoIs(second)) === 401);
  });

  test('token Secrets are deleted with their ServiceAccount, and where the ServiceAccount never existed', async () => {
    await make('s');
    await filled('s');
    await server().call({ method: 'DELETE', path: `${base}/serviceaccounts/robot` });
    await gone('s');
    await make('orphan');
    await gone('orphan');
  });

  test('a token that was removed from its Secret is created again, and other data of the Secret stays', async () => {
    await make('s', { data: { more: btoa('mine'), namespace: btoa('elsewhere') } });
    await filled('s');
    await server().call({
      method: 'PATCH',
      path: `${base}/secrets/s`,
      body: { data: { token: null, 'ca.crt': btoa('x') } },
      contentType: 'application/merge-patch+json',
    });
    const { data = {} } = await filled('s');

    expect([text(data['more']), text(data['namespace'])]).toEqual(['mine', 'elsewhere']);
    await waitFor('the certificates to be put right', async () =>
      text((await secret('s'))?.data?.['ca.crt']).includes('BEGIN CERTIFICATE'),
    );
  });
});

function text(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}
