import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import 'reflect-metadata';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inspectSecretData } from '../../../src/domain/engine/steps/certificate.js';
import { inspectKeyPair, validityProblem } from '../../../src/runtime/vocabulary/keypair.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

const NOW = Date.parse('2026-01-01T00:00:00Z');

let pair: Pair;
let other: Pair;
let weak: Pair;
beforeAll(async () => {
  [pair, other, weak] = await Promise.all([issued(), issued(), selfSigned(512)]);
});

async function issued(): Promise<Pair> {
  const request = { names: ['gateway', 'gateway.ns.svc'], addresses: ['10.0.0.1', 'fd00::1'], now: NOW };
  const { certificate, privateKey } = await issueServingCertificate(request);
  return { certificate, key: privateKey };
}

/** An RSA certificate without subjectAltName. */
async function selfSigned(modulusLength: number): Promise<Pair> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength,
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = { name: 'CN=gateway', notBefore: new Date(NOW), keys, signingAlgorithm: algorithm };
  const made = await X509CertificateGenerator.createSelfSigned(request, webcrypto);
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: made.toString('pem'), key };
}

/** What is wrong with the pair; `usable` where nothing is. */
function verdict({ certificate, key }: Pair): string {
  const finding = inspectKeyPair({ certificate, key }, { certificate: 'tls.crt', key: 'tls.key' });
  return finding.kind === 'usable' ? finding.kind : finding.problem;
}

const der = (pem: string): string => atob(pem.replaceAll(/-----.*|\s/g, ''));
const CUT = 'cannot be read: it is cut or changed';

describe('a key pair', () => {
  it.each<[string, () => Partial<Pair>, string]>([
    ['as it is issued', () => ({}), 'usable'],
    ['with a chain', () => ({ certificate: pair.certificate + other.certificate }), 'usable'],
    ['with text and EC parameters before the key', () => ({ key: `# x\n${parameters()}${pair.key}` }), 'usable'],
    ['without a certificate', () => ({ certificate: ' \n' }), 'tls.crt is empty'],
    ['whose certificate is text', () => ({ certificate: 'x' }), 'tls.crt is not a certificate in PEM'],
    ['whose certificate is cut', () => ({ certificate: pair.certificate.slice(0, 200) }), `tls.crt ${CUT}`],
    ['whose certificate is changed', () => ({ certificate: pair.certificate.replace('MII', 'AAA') }), `tls.crt ${CUT}`],
    [
      'whose chain is changed',
      () => ({ certificate: pair.certificate + other.certificate.replace('MII', 'AAA') }),
      `certificate 2 of 2 in tls.crt ${CUT}`,
    ],
    [
      'whose lines are indented',
      () => ({ certificate: pair.certificate.replaceAll(/^/gm, '  ') }),
      'tls.crt cannot be read: its lines are indented or joined',
    ],
    [
      'whose lines are joined',
      () => ({ key: pair.key.replaceAll('\n', ' ') }),
      'tls.key cannot be read: its lines are indented or joined',
    ],
    [
      'whose certificate is binary',
      () => ({ certificate: der(pair.certificate) }),
      'tls.crt is binary (DER): a certificate in PEM is needed',
    ],
    [
      'whose certificate is a request',
      () => ({ certificate: pair.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST') }),
      'tls.crt has a block CERTIFICATE REQUEST and no certificate in PEM',
    ],
    [
      'whose key is a public key',
      () => ({ key: String(createPublicKey(pair.key).export({ type: 'spki', format: 'pem' })) }),
      'tls.key has a block PUBLIC KEY and no private key in PEM',
    ],
    [
      'whose key is a certificate, too',
      () => ({ key: pair.certificate }),
      'tls.key has a block CERTIFICATE and no private key in PEM',
    ],
    ['whose key is cut', () => ({ key: pair.key.slice(0, 90) }), `tls.key ${CUT}`],
    ['whose key is changed', () => ({ key: pair.key.replace('MI', 'AA') }), `tls.key ${CUT}`],
    ['whose key is binary', () => ({ key: der(pair.key) }), 'tls.key is binary (DER): a private key in PEM is needed'],
    [
      'whose key is encrypted',
      () => ({ key: encrypted('pkcs8') }),
      'tls.key is encrypted with a passphrase: it has to be without one',
    ],
    [
      'whose key is encrypted in the old form',
      () => ({ key: encrypted('sec1') }),
      'tls.key is encrypted with a passphrase: it has to be without one',
    ],
    ['with the key of another', () => ({ key: other.key }), 'tls.key does not belong to tls.crt'],
    ['with a key of another type', () => ({ key: rsaKey() }), 'tls.key does not belong to tls.crt'],
    [
      'whose chain is in the wrong order',
      () => ({ certificate: other.certificate + pair.certificate }),
      "tls.key belongs to certificate 2 of 2 in tls.crt: the server's own certificate must be the first",
    ],
    ['whose key is too small for TLS', () => weak, 'a TLS server refuses them: ee key too small'],
  ])('is judged %s', (_what, over, expected) => {
    expect(verdict({ ...pair, ...over() })).toBe(expected);
  });

  it('is judged without an exception whatever its texts are, and what is usable can be served', () => {
    const edit = fc.record({ at: fc.nat(1_200), remove: fc.nat(40), insert: fc.oneof(fc.string(), piece()) });
    const edited = (text: string, edits: readonly Edit[]): string =>
      edits.reduce((now, { at, remove, insert }) => now.slice(0, at) + insert + now.slice(at + remove), text);
    const texts = fc.array(edit, { maxLength: 3 });
    fc.assert(
      fc.property(texts, texts, (ofCertificate, ofKey) => {
        const certificate = edited(pair.certificate, ofCertificate);
        const key = edited(pair.key, ofKey);
        const finding = inspectKeyPair({ certificate, key });
        if (finding.kind === 'unusable') {
          for (const line of pair.key.split('\n').slice(1, -2))
            expect(finding.problem).not.toContain(line.slice(0, 20));
          return;
        }
        createSecureContext({ cert: certificate, key });
        expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('is read in one pass: a megabyte of beginnings ends like any other text', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\n'.repeat(36_000);

    expect(verdict({ certificate, key: pair.key })).toBe(`certificate 1 of 36000 in tls.crt ${CUT}`);
  });

  it('has the names and the times of its certificate', () => {
    expect(inspectKeyPair(pair)).toEqual({
      kind: 'usable',
      notBefore: NOW - 300_000,
      notAfter: NOW + 90 * 24 * 3_600_000,
      names: ['gateway', 'gateway.ns.svc', '10.0.0.1', 'FD00:0:0:0:0:0:0:1'],
    });
  });

  it('has no names where those of its certificate cannot be read', () => {
    const der = Buffer.from(new X509Certificate(pair.certificate).raw);
    const names = der.indexOf(Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x11])) + 5;
    // The list of names, in the octet string behind the identifier of the extension, becomes a set.
    der[der.indexOf(0x30, names)] = 0x31;
    const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

    expect(inspectKeyPair({ certificate, key: pair.key })).toMatchObject({ kind: 'usable', names: [] });
  });

  it('may have no name that clients accept', async () => {
    expect(inspectKeyPair(await selfSigned(2048))).toMatchObject({ kind: 'usable', names: [] });
  });

  it('is valid from its first moment up to its last', () => {
    const validity = { notBefore: NOW, notAfter: NOW + 1_000 };

    expect([-1, 0, 999, 1_000].map((ms) => validityProblem(validity, NOW + ms))).toEqual([
      'the certificate is not valid before 2026-01-01T00:00:00Z',
      undefined,
      undefined,
      'the certificate has expired at 2026-01-01T00:00:01Z',
    ]);
  });

  const piece = (): fc.Arbitrary<string> =>
    fc.constantFrom('\n', '-----BEGIN CERTIFICATE-----\n', '-----END PRIVATE KEY-----\n', other.certificate, pair.key);
  const rsaKey = (): string =>
    String(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const encrypted = (type: 'pkcs8' | 'sec1'): string =>
    String(createPrivateKey(pair.key).export({ type, format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }));
  const parameters = (): string => '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
});

describe('the data of a Secret', () => {
  it.each<[string, unknown, string]>([
    ['that is absent', undefined, 'is empty: it has no data'],
    ['without a file', {}, 'is empty: it has no data'],
    [
      'without the key, with two others',
      { 'tls.crt': 'eA==', key: 'eA==', 'ca.crt': 'eA==' },
      'has no tls.key in its data; it has key, ca.crt, which nothing reads',
    ],
    ['that is no base64', { 'tls.crt': '%', 'tls.key': '%' }, 'tls.crt is empty'],
  ])('%s is named', (_what, data, problem) => {
    expect(inspectSecretData(data)).toEqual({ kind: 'unusable', problem });
  });
});
