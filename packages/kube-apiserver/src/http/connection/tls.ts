import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { issueCertificate, SKEW_MS, type KeyPair, type ServedHosts } from '@multicluster-engine/values/certificates';

const DAY_MS = 24 * 3600 * 1000;
const AUTHORITY_MS = 3650 * DAY_MS;
const SERVING_MS = 365 * DAY_MS;
/** A certificate that expires sooner than this is replaced. */
const RENEW_MS = 30 * DAY_MS;

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
export function issueAuthority(now: number): Promise<KeyPair> {
  // The serial in the name distinguishes an authority from its replacement.
  const subject = (serial: string): string => `CN=kubernetes-ca-${serial.slice(0, 8)}`;
  return issueCertificate({ subject, ...lifetime(now, AUTHORITY_MS) });
}

/** Issues a serving certificate, valid for one year, for the default names and the host that the server listens on. */
export function issueServing(issuer: KeyPair, host: string | undefined, now: number): Promise<KeyPair> {
  const subject = (): string => 'CN=kube-apiserver';
  return issueCertificate({ subject, ...lifetime(now, SERVING_MS), serves: subjects(host), issuer });
}

/** Whether the host stands for all addresses of this machine. */
export function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

function subjects(host: string | undefined): ServedHosts {
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

function lifetime(now: number, ms: number): { readonly notBefore: number; readonly notAfter: number } {
  return { notBefore: now - SKEW_MS, notAfter: now + ms };
}
