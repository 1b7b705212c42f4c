import { describe, expect, it } from '@jest/globals';

import { legacyToken, legacyTokens } from '../../../../src/auth/tokens/legacytokens.js';
import { generateSigningKey, readSigningKey, readToken } from '../../../../src/auth/tokens/jwt.js';
import { ISSUER, issueToken } from '../../../../src/auth/tokens/accounttokens.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import { ManualClock } from '../../../../testing/clock.js';
import { FakeReader } from '../reader.js';

const KEY = readSigningKey(generateSigningKey());
const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'ns', uid: 'u1' } };
const TOKEN = legacyToken(KEY, ACCOUNT, 's');
const SECRET: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'ns', uid: 'u2' },
  data: { token: Buffer.from(TOKEN).toString('base64') },
};
const INVALID = 'kubernetes.io/legacy-token-invalid-since';

function judge(token: string, objects: readonly KubeObject[], wanted: readonly string[] = [ISSUER]): unknown {
  const reader = new FakeReader();
  reader.add(...objects);
  return legacyTokens({ key: KEY, reader }, [ISSUER])(token, wanted);
}

function without(object: KubeObject, change: object): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...change } };
}

describe('a token in a Secret', () => {
  it('a token in a Secret has the claims of kube-apiserver', () => {
    expect(readToken(KEY, TOKEN)).toEqual({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:ns:robot',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': 'u1',
    });
  });

  it("a token in a Secret identifies its account, for the API's audience only", () => {
    const user = {
      name: 'system:serviceaccount:ns:robot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    };
    expect(judge(TOKEN, [ACCOUNT, SECRET], ['other', ISSUER])).toEqual({ user, audiences: [ISSUER] });
    expect(judge(TOKEN, [ACCOUNT, SECRET], ['other'])).toEqual({
      problem: `token audiences [] is invalid for the target audiences ["other"]`,
    });
  });

  it.each<[string, string, readonly KubeObject[], string]>([
    ['whose Secret is deleted', TOKEN, [ACCOUNT], 'Token has been invalidated'],
    [
      'whose Secret is being deleted',
      TOKEN,
      [ACCOUNT, without(SECRET, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      'Token has been invalidated',
    ],
    [
      'that its Secret does not hold',
      TOKEN,
      [ACCOUNT, { ...SECRET, data: { token: 'eA==' } }],
      "Token does not match server's copy",
    ],
    ['whose Secret is empty', TOKEN, [ACCOUNT, { ...SECRET, data: {} }], "Token does not match server's copy"],
    ['whose account is deleted', TOKEN, [SECRET], 'serviceaccounts "robot" not found'],
    [
      'whose account is being deleted',
      TOKEN,
      [without(ACCOUNT, { deletionTimestamp: '2026-01-01T00:00:00Z' }), SECRET],
      'ServiceAccount ns/robot has been deleted',
    ],
    [
      'whose account is another one',
      TOKEN,
      [without(ACCOUNT, { uid: 'u9' }), SECRET],
      'ServiceAccount UID (u9) does not match claim (u1)',
    ],
    [
      'that is marked invalid',
      TOKEN,
      [ACCOUNT, without(SECRET, { labels: { [INVALID]: '2026-01-01' } })],
      `the token in secret ns/s for service account ns/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID}' label from the secret to temporarily allow use of this token`,
    ],
    [
      'of another server',
      legacyToken(readSigningKey(generateSigningKey()), ACCOUNT, 's'),
      [ACCOUNT, SECRET],
      'go-jose/go-jose: error in cryptographic primitive',
    ],
  ])('a token in a Secret %s is refused', (_name, token, objects, problem) => {
    expect(judge(token, objects)).toEqual({ problem });
  });

  it.each([
    ['a request', issueToken(KEY, new ManualClock(), { account: ACCOUNT, audiences: [ISSUER], seconds: 600 })],
    ['nothing', ''],
    ['garbage', 'a.b.c'],
    ['null', `a.${btoa('null')}.c`],
  ])('a legacy token is not recognized in %s', (_name, token) => {
    expect(judge(token, [ACCOUNT, SECRET])).toBeUndefined();
  });
});
