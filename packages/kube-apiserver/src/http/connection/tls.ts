// Must precede x509, which needs it while loading.
import 'reflect-metadata';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  X509Certificate as Certificate,
} from '@peculiar/x509';

/** A certificate and its key, both PEM (PKCS #8). */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

const DAY_MS = 24 * 3600 * 1000;
const AUTHORITY_MS = 3650 * DAY_MS;
const SERVING_MS = 365 * DAY_MS;
/** A certificate that expires sooner than this is replaced. */
const RENEW_MS = 30 * DAY_MS;
/** Tolerance for clients whose clocks are slow. */
const SKEW_MS = 5 * 60 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Names and addresses that every serving certificate covers. */
const NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
const ADDRESSES = ['127.0.0.1', '::1'];

/** Issues a certificate authority, valid for ten years. `now`: ms since the epoch. */
export async function issueAuthority(now: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const serial = serialNumber();
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // The serial in the name distinguishes an authority from its replacement.
      name: `CN=kubernetes-ca-${serial.slice(0, 8)}`,
      serialNumber: serial,
      ...lifetime(now, AUTHORITY_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return pair(certificate, keys.privateKey);
}

/** Issues a serving certificate, valid for one year, for the default names and the host that the server listens on. */
export async function issueServing(authority: KeyPair, host: string | undefined, now: number): Promise<KeyPair> {
  const issuer = new Certificate(authority.certificate);
  const signingKey = await importKey(authority.privateKey);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const { names, addresses } = subjects(host);
  const certificate = await X509CertificateGenerator.create(
    {
      subject: 'CN=kube-apiserver',
      issuer: issuer.subject,
      serialNumber: serialNumber(),
      ...lifetime(now, SERVING_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
        await AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export(webcrypto), false, webcrypto),
      ],
    },
    webcrypto,
  );
  return pair(certificate, keys.privateKey);
}

/** Whether the host stands for all addresses of this machine. */
export function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

function subjects(host: string | undefined): {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
} {
  const wildcard = host === undefined || isWildcard(host);
  const address = !wildcard && isIP(host) !== 0;
  return {
    names: [...new Set([...NAMES, ...(wildcard || address ? [] : [host.toLowerCase()])])],
    addresses: [...new Set([...ADDRESSES, ...(address ? [host] : []), ...(wildcard ? ownAddresses() : [])])],
  };
}

/** The addresses of this machine, without link-local ones, which are valid on one interface only. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address))
    .sort();
}

/**
 * Whether a pair can still be used: its key matches, it is valid for another month, and it is of this authority and for
 * this host.
 */
export function isUsable(
  one: KeyPair,
  now: number,
  serving?: { readonly authority: KeyPair; readonly host: string | undefined },
): boolean {
  try {
    const certificate = new X509Certificate(one.certificate);
    if (!certificate.checkPrivateKey(createPrivateKey(one.privateKey))) return false;
    if (Date.parse(certificate.validTo) - now < RENEW_MS || Date.parse(certificate.validFrom) > now + SKEW_MS)
      return false;
    if (serving === undefined) return certificate.ca;
    const { names, addresses } = subjects(serving.host);
    const covered =
      names.every((name) => certificate.checkHost(name) !== undefined) &&
      addresses.every((address) => certificate.checkIP(address) !== undefined);
    return covered && certificate.verify(new X509Certificate(serving.authority.certificate).publicKey);
  } catch {
    return false;
  }
}

function lifetime(now: number, ms: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(now - SKEW_MS), notAfter: new Date(now + ms) };
}

async function pair(certificate: Certificate, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const secret = await webcrypto.subtle.exportKey('pkcs8', key);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${PemConverter.encode(secret, 'PRIVATE KEY')}\n`,
  };
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [secret] = PemConverter.decode(pem);
  if (secret === undefined) throw new Error('no private key in the PEM of the authority');
  return webcrypto.subtle.importKey('pkcs8', secret, ALGORITHM, false, ['sign']);
}

/** 127 random bits, never negative, in hexadecimal digits. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
