import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';

import { describe, expect, it } from '@jest/globals';

import { RENEW_BEFORE_MS } from '../../../src/domain/engine/steps/certificate.js';
import { issueServingCertificate, LIFETIME_MS, type ServingCertificate } from '../../../src/runtime/tls/serving.js';

const NAMES = [
  'gateway',
  'gateway.multicluster-engine',
  'gateway.multicluster-engine.svc',
  'gateway.multicluster-engine.svc.cluster.local',
];
const NOW = Date.now();

/** Why a client that trusts these does not trust the server; undefined when it does. */
async function handshake(
  server: ServingCertificate,
  trusted: readonly ServingCertificate[],
  servername: string,
): Promise<string | undefined> {
  const listener = createServer({ cert: server.certificate, key: server.privateKey }, (socket) => socket.end());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const ca = trusted.map(({ certificate }) => certificate).join('');
  try {
    const socket = connect({ port, host: '127.0.0.1', servername, ca });
    await once(socket, 'secureConnect');
    socket.destroy();
    return undefined;
  } catch (error) {
    return String(Object(error).code);
  } finally {
    listener.close();
  }
}

describe('a serving certificate', () => {
  it('a serving certificate is a self-signed leaf on P-256 for the names, good for 90 days', async () => {
    const made = await issueServingCertificate({ names: NAMES, addresses: ['127.0.0.1'], now: NOW });
    const certificate = new X509Certificate(made.certificate);

    expect(certificate.subjectAltName).toBe([...NAMES.map((name) => `DNS:${name}`), 'IP Address:127.0.0.1'].join(', '));
    expect(certificate.subject).toContain('CN=gateway');
    expect([certificate.ca, certificate.issuer === certificate.subject, certificate.keyUsage]).toEqual([
      false,
      true,
      ['1.3.6.1.5.5.7.3.1'],
    ]);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.checkPrivateKey(createPrivateKey(made.privateKey))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual([
      made.notBefore,
      made.notAfter,
    ]);
    expect(made.notAfter).toBe(Math.floor(NOW / 1000) * 1000 + LIFETIME_MS);
    expect(NOW - made.notBefore).toBeGreaterThanOrEqual(5 * 60_000);
  });

  it('a serving certificate is never issued twice', async () => {
    const [a, b] = await Promise.all([1, 2].map(() => issueServingCertificate({ names: NAMES, now: NOW })));

    expect(new X509Certificate(a?.certificate ?? '').serialNumber).not.toBe(
      new X509Certificate(b?.certificate ?? '').serialNumber,
    );
    expect(a?.privateKey).not.toBe(b?.privateKey);
  });

  it.each(NAMES)('a serving certificate is its own trust anchor for the name %s', async (name) => {
    const made = await issueServingCertificate({ names: NAMES, now: NOW });

    expect(await handshake(made, [made], name)).toBeUndefined();
  });

  it('a serving certificate serves no other name, and is not trusted by others', async () => {
    const [made, other] = await Promise.all([1, 2].map(() => issueServingCertificate({ names: NAMES, now: NOW })));
    if (made === undefined || other === undefined) throw new Error('not made');

    expect(await handshake(made, [made], 'other.multicluster-engine.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await handshake(made, [other], 'gateway')).toMatch(/SELF_SIGNED|UNABLE_TO/);
  });

  it('a serving certificate is trusted beside its successor and its predecessor, in any order', async () => {
    const all = await Promise.all([1, 2, 3].map(() => issueServingCertificate({ names: NAMES, now: NOW })));

    for (const server of all) {
      expect(await handshake(server, all, 'gateway')).toBeUndefined();
      expect(await handshake(server, all.toReversed(), 'gateway')).toBeUndefined();
    }
  });

  it('a serving certificate lives for 90 days, and is renewed when two thirds of them are over', () => {
    expect([LIFETIME_MS, LIFETIME_MS - RENEW_BEFORE_MS].map((ms) => ms / (24 * 3600 * 1000))).toEqual([90, 60]);
  });

  it('a serving certificate serves a name that is too long for the common name', async () => {
    const name = `gateway.${'a'.repeat(63)}.svc`;
    const made = await issueServingCertificate({ names: [name], now: NOW });

    expect(new X509Certificate(made.certificate).subject).toContain('CN=gateway');
    expect(await handshake(made, [made], name)).toBeUndefined();
  });

  it.each([
    [[]],
    [['']],
    [['Gateway']],
    [['a b']],
    [['a..b']],
    [['-a']],
    [[`${'a'.repeat(64)}`]],
    [['gateway', 'x\n']],
  ])('a serving certificate is not made for the names %j', async (names) => {
    await expect(issueServingCertificate({ names, now: NOW })).rejects.toThrow(/^names: /);
  });
});
