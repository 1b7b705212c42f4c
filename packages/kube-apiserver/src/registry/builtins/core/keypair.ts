import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';

import { corruptOffset } from '@multicluster-engine/values/schema/go/base64';

interface Block {
  readonly type: string;
  readonly der: Buffer;
}

const BLOCK = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n([^-]*?)-----END \1-----[ \t\r]*(?=\n|$)/g;
const KEY = /(?:^| )PRIVATE KEY$/;
const KEY_TYPES: readonly string[] = ['rsa', 'ec', 'ed25519'];

/** The error of Go's `tls.X509KeyPair` for a certificate and a key in PEM; undefined for a valid pair. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const blocks = blocksOf(certificate);
  const [first] = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (first === undefined) return `tls: failed to find ${missingCertificate(blocks.map(({ type }) => type))}`;
  const keys = blocksOf(key);
  const keyBlock = keys.find(({ type }) => KEY.test(type));
  if (keyBlock === undefined) return `tls: ${missingKey(keys.map(({ type }) => type))}`;
  const read = readCertificate(first.der);
  if (read === undefined) return 'x509: malformed certificate';
  const own = readKey(keyBlock.der);
  if (own === undefined) return 'tls: failed to parse private key';
  return mismatch(read, own);
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const [, type = '', body = ''] of text.matchAll(BLOCK)) {
    const base64 = body.replace(/^(?:[^:\n]+:[^\n]*\n)+\n/, '').replaceAll(/\s/g, '');
    if (corruptOffset(base64) === undefined) blocks.push({ type, der: Buffer.from(base64, 'base64') });
  }
  return blocks;
}

function missingCertificate(types: readonly string[]): string {
  const [only = ''] = types;
  if (types.length === 0) return 'any PEM data in certificate input';
  if (types.length === 1 && only.endsWith('PRIVATE KEY'))
    return 'certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `"CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function missingKey(types: readonly string[]): string {
  if (types.length === 0) return 'failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE')
    return 'found a certificate rather than a key in the PEM for the private key';
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function readCertificate(der: Buffer): KeyObject | undefined {
  try {
    return new X509Certificate(der).publicKey;
  } catch {
    return undefined;
  }
}

function readKey(der: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: der, format: 'der', type });
    } catch {
      // The key has another encoding, or is invalid.
    }
  }
  return undefined;
}

function mismatch(wanted: KeyObject, key: KeyObject): string | undefined {
  if (!KEY_TYPES.includes(wanted.asymmetricKeyType ?? '')) return 'tls: unknown public key algorithm';
  if (wanted.asymmetricKeyType !== key.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return createPublicKey(key).equals(wanted) ? undefined : 'tls: private key does not match public key';
}
