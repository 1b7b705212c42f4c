import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { timestamp } from './meta.js';

/** The certificate and the private key of a TLS server, both PEM. */
interface KeyPairText {
  readonly certificate: string;
  readonly key: string;
}

/** How messages call the two. */
type KeyPairTitles = KeyPairText;

/** When a certificate is valid, ms since the epoch. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What a TLS server can do with a key pair, at any time. No part of the key is in it. */
export type KeyPairFinding =
  | { readonly kind: 'unusable'; readonly problem: string }
  | (Validity & {
      readonly kind: 'usable';
      /** The DNS names and IP addresses of subjectAltName. Clients look at no other name. */
      readonly names: readonly string[];
    });

const TITLES: KeyPairTitles = { certificate: 'the certificate', key: 'the private key' };
const BOUNDARY = /-----(BEGIN|END) ([A-Z0-9 ]+)-----/g;
/** `-----BEGIN` in base64. */
const ENCODED_TWICE = /^\s*LS0tLS1CRUdJTi/;
/** As a manifest whose text block has lost its form leaves it. */
const CHANGED_LINES = /^[ \t]+-----|-----BEGIN [A-Z0-9 ]+-----[ \t]+\S/m;
/** The first bytes of the ASN.1 sequence that a certificate or key in DER is, as text. */
const DER = /^0[\u0080-\u0082\uFFFD]/;

/** Whether a TLS server, or a client, can use the pair, and if not, which of the two is wrong and how. */
export function inspectKeyPair(pair: KeyPairText, titles = TITLES): KeyPairFinding {
  const { certificate } = pair;
  const problem =
    swapped(pair, titles) ?? certificatesProblem(certificate, titles.certificate) ?? keyProblem(pair, titles);
  if (problem !== undefined) return { kind: 'unusable', problem };
  const leaf = readCertificate(certificate);
  if (leaf === undefined) return { kind: 'unusable', problem: `${titles.certificate} ${unreadable(certificate)}` };
  const unusable = mismatch(leaf, pair, titles) ?? refusal(pair);
  if (unusable !== undefined) return { kind: 'unusable', problem: unusable };
  const { validFrom, validTo } = leaf;
  const names = [...alternativeNames(leaf).matchAll(/(?:^|, )(?:DNS|IP Address):([^,]+)/g)].map(
    ([, name = '']) => name,
  );
  return { kind: 'usable', notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo), names };
}

/** The names and addresses of a certificate as Node prints them; empty without any, and where they cannot be read. */
export function alternativeNames({ subjectAltName }: Pick<X509Certificate, 'subjectAltName'>): string {
  // Null, which its type does not name, where the extension cannot be read.
  return subjectAltName ?? '';
}

/** Why a certificate is not valid at that time (ms since the epoch); undefined when it is. */
export function validityProblem({ notBefore, notAfter }: Validity, now: number): string | undefined {
  if (now < notBefore) return `the certificate is not valid before ${timestamp(notBefore)}`;
  return now < notAfter ? undefined : `the certificate has expired at ${timestamp(notAfter)}`;
}

function swapped({ certificate, key }: KeyPairText, titles: KeyPairTitles): string | undefined {
  const inCertificate = blocksOf(certificate);
  const inKey = blocksOf(key);
  const isSwapped = inCertificate.some(isKey) && inKey.some(isCertificate);
  if (!isSwapped || inCertificate.some(isCertificate) || inKey.some(isKey)) return undefined;
  return `${titles.certificate} holds a private key and ${titles.key} a certificate: they are swapped`;
}

/** Why a text is not one certificate in PEM or several, such as those of authorities; undefined when it is. */
export function certificatesProblem(text: string, title: string): string | undefined {
  const chain = pemCertificates(text);
  if (chain.length === 0) return `${title} ${notPem(text, 'certificate')}`;
  const wrong = chain.findIndex((pem) => readCertificate(pem) === undefined);
  if (wrong < 0) return undefined;
  return chain.length === 1
    ? `${title} ${unreadable(text)}`
    : `certificate ${wrong + 1} of ${chain.length} in ${title} ${unreadable(text)}`;
}

/**
 * Why no connection can be verified by the authorities in a text; undefined where one can: Node uses those before the first
 * that it cannot read. To be asked of each text by itself: an empty one means to Node its own authorities, and one that is
 * joined with others means those alone.
 */
export function authoritiesProblem(text: string, title: string): string | undefined {
  const [first] = pemCertificates(text);
  const isUsable = first !== undefined && readCertificate(first) !== undefined;
  return isUsable ? undefined : certificatesProblem(text, title);
}

function keyProblem({ key }: KeyPairText, titles: KeyPairTitles): string | undefined {
  const title = titles.key;
  if (readKey(key) !== undefined) return undefined;
  if (!blocksOf(key).some(isKey)) return `${title} ${notPem(key, 'private key')}`;
  if (/BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m.test(key))
    return `${title} is encrypted with a passphrase: it has to be without one`;
  return `${title} ${unreadable(key)}`;
}

/** What a text is that has no PEM block of the wanted kind. */
function notPem(text: string, wanted: string): string {
  if (text.trim() === '') return 'is empty';
  if (ENCODED_TWICE.test(text)) return 'is encoded in base64 twice';
  if (DER.test(text)) return `is binary (DER): a ${wanted} in PEM is needed`;
  const [block] = blocksOf(text);
  return block === undefined ? `is not a ${wanted} in PEM` : `has a block ${block.type} and no ${wanted} in PEM`;
}

function unreadable(text: string): string {
  return `cannot be read: ${CHANGED_LINES.test(text) ? 'its lines are indented or joined' : 'it is cut or changed'}`;
}

function mismatch(leaf: X509Certificate, pair: KeyPairText, titles: KeyPairTitles): string | undefined {
  const key = readKey(pair.key);
  if (key === undefined || leaf.checkPrivateKey(key)) return undefined;
  const chain = pemCertificates(pair.certificate);
  const owner = chain.findIndex((pem) => readCertificate(pem)?.checkPrivateKey(key) === true);
  if (owner < 0) return `${titles.key} does not belong to ${titles.certificate}`;
  return `${titles.key} belongs to certificate ${owner + 1} of ${chain.length} in ${titles.certificate}: the server's own certificate must be the first`;
}

/** What OpenSSL says about a pair that belongs together, such as a key that is too small. */
function refusal({ certificate, key }: KeyPairText): string | undefined {
  try {
    createSecureContext({ cert: certificate, key });
    return undefined;
  } catch (error) {
    return `a TLS server refuses them: ${/[^:]*$/.exec(String(error))?.[0].trim()}`;
  }
}

interface Block {
  readonly type: string;
  /** With its boundaries; without the last one where the text is cut. */
  readonly pem: string;
}

/** The blocks of PEM in a text, read once from its begin to its end: a Secret may have a megabyte. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly type: string; readonly at: number } | undefined;
  for (const { 0: line, 1: kind, 2: type = '', index: at } of text.matchAll(BOUNDARY)) {
    const end = kind === 'BEGIN' ? at : at + line.length;
    if (open !== undefined) blocks.push({ type: open.type, pem: text.slice(open.at, end) });
    open = kind === 'BEGIN' ? { type, at } : undefined;
  }
  if (open !== undefined) blocks.push({ type: open.type, pem: text.slice(open.at) });
  return blocks;
}

function isKey({ type }: Block): boolean {
  return type.endsWith('PRIVATE KEY');
}

/** The types that OpenSSL reads as a certificate. */
function isCertificate({ type }: Block): boolean {
  return ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'].includes(type);
}

export function pemCertificates(text: string): readonly string[] {
  return blocksOf(text)
    .filter(isCertificate)
    .map(({ pem }) => pem);
}

/** Reads a certificate; undefined for another text. */
export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
