import { HTTPS_URL_RULE } from '../../../src/runtime/vocabulary/url.js';
import { describe, expect, it } from '@jest/globals';

import { joinSecretData, ownTokenData, readHubToken } from '../../../src/domain/agent/hubtoken.js';
import { joinData } from '../../support/builders/joindata.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the Secret hub-token', () => {
  it('the Secret of a manifest is read back as it was written, without a token of the agent', () => {
    const join = joinData();

    expect(readHubToken({ data: joinSecretData(join) })).toEqual({ kind: 'complete', join, token: undefined });
  });

  it('the Secret needs no certificate of the hub, whose URL is read without a slash at its end', () => {
    const join = joinData({ hubCa: undefined, hubUrl: 'https://hub/k8s/clusters/c-1' });
    const data = { ...joinSecretData(join), hub: base64('https://hub/k8s/clusters/c-1/\n') };

    expect(Object.keys(joinSecretData(join))).not.toContain('ca.crt');
    expect(readHubToken({ data })).toEqual({ kind: 'complete', join, token: undefined });
  });

  it('a certificate that cannot be read does no harm after one that can, and is named before it', () => {
    const cut = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    const { hubCa } = joinData();
    const read = (ca: string): unknown => readHubToken({ data: joinSecretData(joinData({ hubCa: ca })) });

    expect(read(`${hubCa}\n${cut}`)).toMatchObject({ kind: 'complete' });
    expect(read(`${cut}\n${hubCa}`)).toEqual({
      kind: 'unusable',
      problem: 'certificate 1 of 2 in ca.crt cannot be read: it is cut or changed',
    });
  });

  it('the token that an agent has stored is its own while the Secret is that of the same manifest', () => {
    const join = joinData();
    const data = { ...joinSecretData(join), ...ownTokenData('own.to.ken', join) };
    const renewed = { ...data, ...joinSecretData(joinData({ joinSecretUid: 'another', joinToken: 'new' })) };

    expect(readHubToken({ data })).toMatchObject({ token: 'own.to.ken' });
    expect(readHubToken({ data: renewed })).toMatchObject({ kind: 'complete', token: undefined });
  });

  it.each([
    ['a Secret without data', {}, 'it has no cluster, cluster-uid, hub, join-token, join-secret-uid'],
    [
      'a Secret with an empty value',
      { data: { ...joinSecretData(joinData()), 'join-token': '' } },
      'it has no join-token',
    ],
    ['no object', undefined, 'it has no cluster, cluster-uid, hub, join-token, join-secret-uid'],
    [
      'a hub without TLS',
      { data: joinSecretData(joinData({ hubUrl: 'http://hub' })) },
      `hub must be ${HTTPS_URL_RULE}`,
    ],
    [
      'a hub whose certificate is text',
      { data: joinSecretData(joinData({ hubCa: 'x' })) },
      'ca.crt is not a certificate in PEM',
    ],
    [
      'a hub whose certificate is encoded twice',
      { data: joinSecretData(joinData({ hubCa: base64(joinData().hubCa ?? '') })) },
      'ca.crt is encoded in base64 twice',
    ],
    [
      'a hub that is no URL',
      { data: joinSecretData(joinData({ hubUrl: 'hub:6443' })) },
      `hub must be ${HTTPS_URL_RULE}`,
    ],
  ])('%s is unusable, and the problem names the keys and no value', (_name, secret, problem) => {
    expect(readHubToken(secret)).toEqual({ kind: 'unusable', problem });
  });
});
