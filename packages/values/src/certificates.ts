// Must precede x509, which needs it while loading.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/**
 * Issues certificates with keys of P-256. Apart from the server, so that a program can issue its own without loading it.
 */

/** A certificate and its key, both PEM (PKCS #8, unencrypted). */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** DNS names and IP addresses. */
export interface ServedHosts {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

export interface CertificateRequest {
  /** `serial`: the serial number of the certificate, which tells it from one of the same name. */
  readonly subject: (serial: string) => string | JsonName;
  /** Ms since the epoch; a certificate has whole seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The hosts of a server; undefined: an authority that signs others. */
  readonly serves?: ServedHosts;
  /** The authority that signs it; undefined: it is self-signed. */
  readonly issuer?: KeyPair;
}

/** How far a certificate is valid before it is issued: for clients whose clocks are behind. */
export const SKEW_MS = 5 * 60 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Whose name and keys are on a certificate. */
interface Signer {
  readonly name: string | JsonName;
  readonly publicKey: webcrypto.CryptoKey;
  readonly privateKey: webcrypto.CryptoKey;
}

/** Makes a key and a certificate for it. */
export async function issueCertificate(request: CertificateRequest): Promise<KeyPair> {
  const { notBefore, notAfter, serves, issuer } = request;
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const serialNumber = newSerialNumber();
  const subject = request.subject(serialNumber);
  const signer = issuer === undefined ? { name: subject, publicKey, privateKey } : await signerOf(issuer);
  const certificate = await X509CertificateGenerator.create(
    {
      subject,
      issuer: signer.name,
      serialNumber,
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      signingAlgorithm: ALGORITHM,
      publicKey,
      signingKey: signer.privateKey,
      extensions: [
        ...(serves === undefined ? authorityExtensions() : await serverExtensions(serves, signer)),
        ...(issuer === undefined ? [await SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto)] : []),
      ],
    },
    webcrypto,
  );
  const secret = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${PemConverter.encode(secret, 'PRIVATE KEY')}\n`,
  };
}

function authorityExtensions(): Extension[] {
  const usages = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature;
  return [new BasicConstraintsExtension(true, undefined, true), new KeyUsagesExtension(usages, true)];
}

async function serverExtensions({ names, addresses }: ServedHosts, signer: Signer): Promise<Extension[]> {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      ...names.map((value) => ({ type: 'dns' as const, value })),
      ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ]),
    await AuthorityKeyIdentifierExtension.create(signer.publicKey, false, webcrypto),
  ];
}

async function signerOf({ certificate, privateKey }: KeyPair): Promise<Signer> {
  const { subject, publicKey } = new X509Certificate(certificate);
  return { name: subject, publicKey: await publicKey.export(webcrypto), privateKey: await importKey(privateKey) };
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [secret] = PemConverter.decode(pem);
  if (secret === undefined) throw new Error('no private key in the PEM of the authority');
  return webcrypto.subtle.importKey('pkcs8', secret, ALGORITHM, false, ['sign']);
}

/** 127 random bits, never negative, in hexadecimal digits. */
function newSerialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
