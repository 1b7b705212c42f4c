import type { X509Certificate } from 'node:crypto';
import { alternativeNames, pemCertificates, readCertificate } from '../vocabulary/keypair.js';

/** What messages say about certificates. */

const NAME_LIMIT = 200;
const NAMES_LIMIT = 300;

/** `CN=a, issued by CN=b, valid from … to …`. */
export function certificateText(certificate: X509Certificate): string {
  const { subject, issuer } = certificate;
  const own = nameText(subject) || cut(alternativeNames(certificate), NAME_LIMIT) || 'it has no name';
  const by = subject === issuer ? 'issued by itself' : `issued by ${nameText(issuer) || 'an authority without a name'}`;
  return `${own}, ${by}, valid from ${timeText(certificate.validFrom)} to ${timeText(certificate.validTo)}`;
}

/** Which names and addresses it is for. */
export function namesText(certificate: X509Certificate): string {
  const names = alternativeNames(certificate);
  return names === '' ? 'it names no host' : `it is for ${cut(names, NAMES_LIMIT)}`;
}

export function isOutOfDate({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) > now || Date.parse(validTo) < now;
}

/** The certificates in PEM text; those that cannot be read are left out. */
export function certificatesIn(pem: string | Uint8Array): X509Certificate[] {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  return pemCertificates(text).flatMap((block) => readCertificate(block) ?? []);
}

/** The names of trusted authorities, for a message. */
export function authoritiesText(pem: string | Uint8Array | undefined): string {
  if (pem === undefined) return 'no certificate authority is given, so the public ones count';
  const [first, ...others] = certificatesIn(pem);
  if (first === undefined) return 'the certificate authority that is given has no certificate in PEM';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `trusted is ${certificateText(first)}${more}`;
}

/** RFC 3339 in UTC, without fractions of a second. */
export function timeText(time: number | string): string {
  const ms = typeof time === 'number' ? time : Date.parse(time);
  return Number.isNaN(ms) ? String(time) : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The time of this machine, for a message that names the times of a certificate. */
export function localTimeText(now: number): string {
  return `it is ${timeText(now)} here`;
}

/** A message without what {@link localTimeText} has added, so that it stays the same while the fault does. */
export function withoutLocalTime(message: string): string {
  return message.replaceAll(/,? ?it is \S+Z here/g, '');
}

/** OpenSSL has one line for each attribute. */
function nameText(name: string): string {
  return cut(name.trim().replaceAll('\n', ', '), NAME_LIMIT);
}

function cut(text: string, limit: number): string {
  const plain = text.replaceAll(/\p{C}/gu, '');
  return plain.length <= limit ? plain : `${plain.slice(0, limit - 1)}…`;
}
