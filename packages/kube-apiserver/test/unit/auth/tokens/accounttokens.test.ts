import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';

import { createAuthenticator, staticTokens } from '../../../../src/auth/authenticator.js';
import { generateSigningKey, readSigningKey, readToken, signToken, toJwk } from '../../../../src/auth/tokens/jwt.js';
import { requestToken } from '../../../../src/verbs/tokenrequest.js';
import { accountTokens, ISSUER, issueToken } from '../../../../src/auth/tokens/accounttokens.js';
import { createChain } from '../../../../src/admission/chain.js';
import { isObject, type Json } from '@multicluster-engine/values/json';
import { createRegistry } from '../../../../src/registry/registry.js';
import { memoryStore } from '../../../../src/store/open.js';
import { contextOf } from '../../../../src/verbs/createverbs.js';
import { StatusError } from '../../../../src/status.js';
import { ManualClock } from '../../../../testing/clock.js';
import { AUTHORIZER, RESOURCES } from '../../http/routerfixture.js';
import { FakeReader } from '../reader.js';

const KEY = readSigningKey(generateSigningKey());
const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'ns', uid: 'u1' } };
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'ns', uid: 'u2' } };
const CALLER = {
  user: { name: 'x', groups: [] },
  agent: 'x',
  warn: () => undefined,
  signal: new AbortController().signal,
};

function setUp(): {
  reader: FakeReader;
  clock: ManualClock;
  name: (token: string, audiences?: string[]) => string | undefined;
  problem: (token: string, audiences?: string[]) => string | undefined;
} {
  const reader = new FakeReader();
  reader.add(ACCOUNT, SECRET);
  const clock = new ManualClock();
  const check = accountTokens({ key: KEY, reader, clock });
  const asked = (token: string, audiences: string[] = [ISSUER]): { name?: string; problem?: string } => {
    const found = check(token, audiences);
    return found === undefined ? {} : 'user' in found ? { name: found.user.name } : { problem: found.problem };
  };
  return {
    reader,
    clock,
    name: (token, audiences) => asked(token, audiences).name,
    problem: (token, audiences) => asked(token, audiences).problem,
  };
}

describe('a token of a ServiceAccount', () => {
  it('a ServiceAccount token identifies its account', () => {
    const { reader, clock } = setUp();
    const token = issueToken(KEY, clock, { account: ACCOUNT, audiences: [ISSUER, 'other'], seconds: 600 });
    const { jti } = readToken(KEY, token) ?? {};

    expect(accountTokens({ key: KEY, reader, clock })(token, ['other'])).toEqual({
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${JSON.stringify(jti).slice(1, -1)}`] },
      },
      audiences: ['other'],
    });
  });

  it('a ServiceAccount token has the claims of kube-apiserver', () => {
    const { clock } = setUp();
    const token = issueToken(KEY, clock, {
      account: ACCOUNT,
      audiences: ['a'],
      seconds: 600,
      bound: { kind: 'secret', object: SECRET },
    });
    const now = clock.now() / 1000;

    expect(readToken(KEY, token)).toEqual({
      aud: ['a'],
      exp: now + 600,
      iat: now,
      nbf: now,
      iss: 'https://kubernetes.default.svc',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {
        namespace: 'ns',
        secret: { name: 's', uid: 'u2' },
        serviceaccount: { name: 'robot', uid: 'u1' },
      },
      sub: 'system:serviceaccount:ns:robot',
    });
  });

  it('a ServiceAccount token expires after its time and a minute of leeway', async () => {
    const { clock, name } = setUp();
    const token = issueToken(KEY, clock, { account: ACCOUNT, audiences: [ISSUER], seconds: 600 });
    await clock.advance(660_000);
    expect(name(token)).toBe('system:serviceaccount:ns:robot');
    await clock.advance(1000);
    expect(name(token)).toBeUndefined();
  });

  it.each([
    ['its account', ACCOUNT],
    ['the Secret that it is bound to', SECRET],
  ])('a ServiceAccount token is invalid once %s is deleted, even if it is created again', (_what, object) => {
    const { reader, clock, name } = setUp();
    const token = issueToken(KEY, clock, {
      account: ACCOUNT,
      audiences: [ISSUER],
      seconds: 600,
      bound: { kind: 'secret', object: SECRET },
    });
    expect(name(token)).toBe('system:serviceaccount:ns:robot');
    reader.remove(object);
    expect(name(token)).toBeUndefined();
    reader.add({ ...object, metadata: { ...object.metadata, uid: 'u9' } });
    expect(name(token)).toBeUndefined();
  });

  it('a ServiceAccount token is invalid for other audiences', () => {
    const { clock, name } = setUp();
    const token = issueToken(KEY, clock, { account: ACCOUNT, audiences: ['other'], seconds: 600 });

    expect([name(token), name(token, ['other'])]).toEqual([undefined, 'system:serviceaccount:ns:robot']);
  });

  it.each([
    ['of another key', (token: string) => signToken(readSigningKey(generateSigningKey()), readToken(KEY, token) ?? {})],
    ['of another issuer', (token: string) => signToken(KEY, { ...readToken(KEY, token), iss: 'https://example.com' })],
    ['without a signature', (token: string) => token.split('.').slice(0, 2).join('.')],
    [
      'with other claims',
      (token: string) => token.replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"x"}').toString('base64url')}.`),
    ],
    [
      'that names no algorithm',
      (token: string) => token.replace(/^[^.]+/, Buffer.from(`{"alg":"none","kid":"${KEY.id}"}`).toString('base64url')),
    ],
    ['that is garbage', () => 'a.b.c'],
    ['without claims of an account', () => signToken(KEY, { iss: ISSUER, aud: [ISSUER], exp: 9e9, nbf: 0 })],
  ])('a ServiceAccount token %s is rejected', (_what, change) => {
    const { clock, name } = setUp();

    expect(
      name(change(issueToken(KEY, clock, { account: ACCOUNT, audiences: [ISSUER], seconds: 600 }))),
    ).toBeUndefined();
  });

  it.each([
    ['with space around it', (token: string) => ` ${token}\n`],
    ['broken into lines', (token: string) => token.replaceAll(/.{60}/g, '$&\r\n')],
    [
      'whose last characters have other bits to spare',
      (token: string) => token.split('.').map(otherSpareBits).join('.'),
    ],
  ])('a ServiceAccount token %s is the same token', (_what, change) => {
    const { clock, name } = setUp();
    expect(name(change(issueToken(KEY, clock, { account: ACCOUNT, audiences: [ISSUER], seconds: 600 })))).toBe(
      'system:serviceaccount:ns:robot',
    );
  });

  it.each([
    ['padded', (token: string) => `${token}=`],
    ['with something behind it', (token: string) => `${token}*`],
    ['with space in it', (token: string) => token.replace('.', ' .')],
    ['in the other alphabet', (token: string) => `${token.slice(0, -2)}+/`],
    ['a character short', (token: string) => token.slice(0, -1)],
    ['of four parts', (token: string) => `${token}.`],
  ])('a ServiceAccount token %s is not recognized', (_what, change) => {
    const { clock, name, problem } = setUp();
    const token = change(issueToken(KEY, clock, { account: ACCOUNT, audiences: [ISSUER], seconds: 600 }));
    expect([name(token), problem(token)]).toEqual([undefined, undefined]);
  });

  it('a TokenReview of an invalid token has the reason of kube-apiserver', async () => {
    const { reader, clock, problem } = setUp();
    const token = issueToken(KEY, clock, {
      account: ACCOUNT,
      audiences: ['a', 'b'],
      seconds: 600,
      bound: { kind: 'secret', object: SECRET },
    });
    expect(problem(token)).toBe(
      'token audiences ["a" "b"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    );
    expect(problem(`${token}x`, ['a'])).toBe('go-jose/go-jose: error in cryptographic primitive');
    expect(problem('a.b.c', ['a'])).toBeUndefined();
    reader.remove(SECRET);
    expect(problem(token, ['a'])).toBe('service account token has been invalidated');
    reader.add({ ...SECRET, metadata: { ...SECRET.metadata, uid: 'u8' } });
    expect(problem(token, ['a'])).toBe('secret UID (u8) does not match service account secret ref claim (u2)');
    reader.remove(ACCOUNT);
    expect(problem(token, ['a'])).toBe('serviceaccounts "robot" not found');
    reader.add({ ...ACCOUNT, metadata: { ...ACCOUNT.metadata, uid: 'u9' } });
    expect(problem(token, ['a'])).toBe('service account UID (u9) does not match claim (u1)');
    await clock.advance(661_000);
    expect(problem(token, ['a'])).toBe('service account token has expired');
    expect(createAuthenticator([accountTokens({ key: KEY, reader, clock })], [ISSUER]).token(token, ['a'])).toEqual({
      problem: '[invalid bearer token, service account token has expired]',
    });
  });

  it('a ServiceAccount token can be verified with the public key', () => {
    expect(toJwk(KEY)).toMatchObject({ use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256', kid: KEY.id });
    expect(KEY.id).toBe(
      createHash('sha256')
        .update(KEY.publicKey.export({ type: 'spki', format: 'der' }))
        .digest('base64url'),
    );
  });
});

describe('a TokenRequest', () => {
  const [resource] = RESOURCES.filter(({ plural }) => plural === 'serviceaccounts');
  function ask(value: Json, name = 'robot'): Json {
    const { reader, clock } = setUp();
    if (resource === undefined) throw new Error('no serviceaccounts');
    try {
      const target = { resource, namespace: 'ns', name, subresource: 'token' };
      const store = memoryStore({ clock });
      const context = contextOf({
        store,
        registry: createRegistry([], reader),
        admission: createChain({ first: [], last: [] }),
        authorizer: AUTHORIZER,
        clock,
      });
      return requestToken(
        { key: KEY, reader, context },
        target,
        { value, duplicates: [] },
        { query: {}, caller: CALLER },
      ).object;
    } catch (error) {
      return error instanceof StatusError ? `${error.code} ${error.message}` : 'other';
    }
  }

  it('a TokenRequest returns a token and its expiry', () => {
    const answer = ask({ spec: { audiences: ['a'], expirationSeconds: 700 } });

    expect(answer).toEqual({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: expect.objectContaining({
        name: 'robot',
        namespace: 'ns',
        uid: 'u1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      }),
      spec: { audiences: ['a'], expirationSeconds: 700, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: '2026-01-01T00:11:40Z' },
    });
  });

  it('a TokenRequest without options is for the API, for an hour', () => {
    const answer = ask({});

    expect(isObject(answer) && answer['spec']).toEqual({
      audiences: [ISSUER],
      expirationSeconds: 3600,
      boundObjectRef: null,
    });
  });

  it.each([
    [
      { spec: { expirationSeconds: 599 } },
      'robot',
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { spec: { expirationSeconds: 2 ** 32 + 1 } },
      'robot',
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      { spec: { audiences: 'x' } },
      'robot',
      '400 TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal string into Go struct field TokenRequestSpec.spec.audiences of type []string',
    ],
    [{}, 'nobody', '404 serviceaccounts "nobody" not found'],
    [
      { metadata: { name: 'x' } },
      'robot',
      '422 TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      { metadata: { uid: 'x' } },
      'robot',
      '409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (x) does not match the UID of the service account (u1)',
    ],
    [
      { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'x' } } },
      'robot',
      '404 secrets "x" not found',
    ],
    [{ spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'x' } } }, 'robot', '404 pods "x" not found'],
    [
      { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'x' } } },
      'robot',
      '409 Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { spec: { boundObjectRef: { apiVersion: 'apps/v1', kind: 'constructor', name: 's' } } },
      'robot',
      '400 cannot bind token to object of type apps/v1, Kind=constructor',
    ],
  ])('the TokenRequest %j for %s gets %s', (value, name, answer) => {
    expect(ask(value, name)).toBe(answer);
  });
});

describe('an authenticator', () => {
  const known = staticTokens([{ token: 't', user: 'ann', uid: 'u', groups: ['devs'] }], ['api']);
  const authenticator = createAuthenticator([known], ['api']);

  it.each([
    [undefined, 'system:anonymous'],
    ['', 'system:anonymous'],
    ['Basic t', 'system:anonymous'],
    ['Bearer', 'system:anonymous'],
    ['Bearer t', 'ann'],
    ['bearer  t', 'system:anonymous'],
    ['Bearer T', undefined],
  ])('an authenticator accepts %s as %s', (header, name) => {
    expect(authenticator.request(header)?.name).toBe(name);
  });

  it.each([
    ['bearer  t', 1],
    ['Bearer t', 0],
    ['Bearer ', 0],
    ['Basic  t', 0],
  ])('an authenticator warns about %j: %d warnings', (header, times) => {
    const warnings: string[] = [];
    authenticator.request(header, (text) => warnings.push(text));

    expect(warnings).toEqual(
      Array.from(
        { length: times },
        () => 'the provided Authorization header contains extra space before the bearer token, and is ignored',
      ),
    );
  });

  it('an authenticator reviews a token for the requested audiences, or for its own', () => {
    const user = { name: 'ann', uid: 'u', groups: ['devs', 'system:authenticated'] };

    expect([
      authenticator.token('t', []),
      authenticator.token('t', ['x', 'api']),
      authenticator.token('t', ['x']),
    ]).toEqual([{ user, audiences: ['api'] }, { user, audiences: ['api'] }, { problem: 'invalid bearer token' }]);
  });
});

/** The same bytes in base64url, with an unused bit of the last character flipped. */
function otherSpareBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(part.slice(-1));
  return part.length % 4 === 0 ? part : part.slice(0, -1) + alphabet.charAt(last ^ 1);
}
