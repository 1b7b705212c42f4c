import { timestamp, type KubeObject, type ResourceType } from '../../../runtime/vocabulary/meta.js';
import { EXPIRY_ANNOTATION, TRUST_ANNOTATION } from '../../../api/names.js';
import { ConfigMaps, Secrets } from '../../../runtime/vocabulary/kinds.js';
import type { ServingCertificateRow } from '../catalogue.js';
import {
  withCommonMetadata,
  type DesiredObject,
  type EngineIdentity,
  type EngineSettings,
} from '../manifest/desired.js';
import { driftedFields } from './drift.js';
import { at, textAt, type Manifest, finalizersOf, isTerminating } from '../manifest/manifest.js';
import { isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { appliedFields, ownershipOf, wasAppliedByUs } from './ownership.js';
import { LEFTOVER_CAUSE } from './steps.js';
import { nameList } from '../../conditions.js';
import {
  inspectKeyPair,
  pemCertificates,
  readCertificate,
  validityProblem,
  type KeyPairFinding,
} from '../../../runtime/vocabulary/keypair.js';

/**
 * A serving certificate consists of a Secret with the key pair and a ConfigMap with the certificates that clients trust:
 * the one that is served, and the one before it or, just before the Secret changes, the next one. Only metadata of our
 * Secret is read: annotations hold its expiry and the certificates, and the managed fields show a write by somebody else.
 */

/** A self-signed certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
  /** Ms since the epoch. */
  readonly notAfter: number;
}

/** One serving certificate: its component, its objects' names, and the engine that owns them. */
export interface ServingCertificate {
  readonly component: string;
  readonly row: ServingCertificateRow;
  readonly namespace: string;
  readonly engine: EngineIdentity;
  readonly settings: EngineSettings;
}

/** The stored objects of a serving certificate. */
export interface StoredCertificate {
  /** Metadata of the Secret, with managed fields; undefined when it does not exist. */
  readonly secret: KubeObject | undefined;
  readonly configMap: KubeObject | undefined;
  /** The target namespace; undefined with `--namespace`. */
  readonly namespaceObject: KubeObject | undefined;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * - given: the Secret was created by somebody else and is used unchanged.
 * - keep: ours and valid; it is renewed at `renewAt` (ms since the epoch). `bundle`: the content of the ConfigMap.
 * - issue, renew: a new key pair is needed. `served`: the certificates that running processes may still serve.
 * - wait: another object has to be deleted first.
 */
export type CertificateDecision =
  | { readonly kind: 'given'; readonly resourceVersion: string | undefined }
  | { readonly kind: 'keep'; readonly renewAt: number; readonly bundle: string }
  | { readonly kind: 'issue'; readonly cause: string; readonly served: readonly string[] }
  | { readonly kind: 'renew'; readonly cause: string; readonly served: readonly string[]; readonly drift: boolean }
  | { readonly kind: 'wait'; readonly cause: string };

/** A third of the 90 days for which a certificate is valid: it is renewed at two thirds. */
export const RENEW_BEFORE_MS = 30 * 24 * 3600 * 1000;
/** Two thirds of the validity, and a day: a later renewal means that the clock was ahead when it was issued. */
const LATEST_RENEWAL_MS = 61 * 24 * 3600 * 1000;
/** What has been valid for so long is served, if its key pair was ever stored. */
const OLD_MS = 3600 * 1000;
const TRUST_KEY = 'ca.crt';
const CERTIFICATE_FIELD = 'tls.crt';
const KEY_FIELD = 'tls.key';
const VERSION_LABEL = 'app.kubernetes.io/version';

/** The fields of the Secret that the operator owns until somebody else writes them. */
const OWNED_FIELDS: readonly (readonly string[])[] = [
  ['f:data', 'f:tls.crt'],
  ['f:data', 'f:tls.key'],
  ['f:metadata', 'f:annotations', `f:${EXPIRY_ANNOTATION}`],
  ['f:metadata', 'f:annotations', `f:${TRUST_ANNOTATION}`],
];

/** The DNS names of the Service, the shortest first. */
export function certificateNames({ row, namespace }: ServingCertificate): readonly string[] {
  return ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((end) => row.service + end);
}

export function decideCertificate(certificate: ServingCertificate, stored: StoredCertificate): CertificateDecision {
  const { secret, namespaceObject, now } = stored;
  if (secret === undefined) {
    if (namespaceObject !== undefined && isTerminating(namespaceObject))
      return { kind: 'wait', cause: `Namespace ${namespaceObject.metadata.name} is being deleted` };
    return { kind: 'issue', cause: 'does not exist', served: publishedCertificates(certificate, stored) };
  }
  const ownership = ownershipOf(secret, certificate.engine);
  if (ownership === 'leftover') return { kind: 'wait', cause: LEFTOVER_CAUSE };
  if (ownership !== 'ours' && !wasAppliedByUs(secret, certificate.engine))
    return { kind: 'given', resourceVersion: secret.metadata.resourceVersion };
  if (isTerminating(secret)) return { kind: 'wait', cause: `is being deleted${finalizersOf(secret)}` };
  const changed = OWNED_FIELDS.filter((field) => !ownsField(secret, field));
  if (changed.length > 0) {
    const fields = changed.map((field) => field.map((part) => part.slice(2)).join('.')).join(', ');
    const served = publishedCertificates(certificate, stored);
    return { kind: 'renew', drift: true, cause: `was changed by somebody else at ${fields}`, served };
  }
  const bundle = secret.metadata.annotations?.[TRUST_ANNOTATION] ?? '';
  const served = pemCertificates(bundle).slice(-1);
  const drifted = driftedFields(unversionedMetadata(certificate), secret);
  if (drifted.length > 0) return { kind: 'renew', drift: true, cause: `differs at ${drifted.join(', ')}`, served };
  const expiry = secret.metadata.annotations?.[EXPIRY_ANNOTATION] ?? '';
  const renewAt = Date.parse(expiry) - RENEW_BEFORE_MS;
  const isTooLate = renewAt - now > LATEST_RENEWAL_MS;
  if (now < renewAt && !isTooLate) return { kind: 'keep', renewAt, bundle };
  const cause = `expires at ${expiry}${isTooLate ? ', later than a certificate that is issued now' : ''}`;
  return { kind: 'renew', drift: false, cause, served };
}

/** The certificates to trust before `issued` is stored: those that may be served until then, and this one. */
export function bundleOf(issued: KeyPair, served: readonly string[]): string {
  const trusted = new Set([...served, ...pemCertificates(issued.certificate)]);
  return [...trusted].map((pem) => `${pem}\n`).join('');
}

export function bundleConfigMap(certificate: ServingCertificate, bundle: string): DesiredObject {
  const metadata = { name: certificate.row.configMap };
  return complete(certificate, ConfigMaps, { metadata, data: { [TRUST_KEY]: bundle } });
}

/** The Secret with `issued`. Its revision is computed without the key. */
export function keyPairSecret(certificate: ServingCertificate, issued: KeyPair, bundle: string): DesiredObject {
  const annotations = { [EXPIRY_ANNOTATION]: timestamp(issued.notAfter), [TRUST_ANNOTATION]: bundle };
  const metadata = { name: certificate.row.secret, annotations };
  const withoutKey = complete(certificate, Secrets, { metadata, type: 'kubernetes.io/tls' });
  const data = { [CERTIFICATE_FIELD]: btoa(issued.certificate), [KEY_FIELD]: btoa(issued.privateKey) };
  return { ...withoutKey, object: { ...withoutKey.object, data } };
}

function complete(certificate: ServingCertificate, type: ResourceType, object: Manifest): DesiredObject {
  const { component, engine, namespace, settings } = certificate;
  const metadata = { ...object.metadata, namespace };
  return withCommonMetadata({ type, component, object: { ...object, metadata } }, engine, settings);
}

/** Owner and labels without the version: another version of the operator needs no new key. */
function unversionedMetadata(certificate: ServingCertificate): { metadata: object } {
  const { object } = complete(certificate, Secrets, { metadata: { name: certificate.row.secret } });
  const { labels: { [VERSION_LABEL]: _, ...unversioned } = {}, ownerReferences } = object.metadata;
  return { metadata: { labels: unversioned, ownerReferences } };
}

function ownsField(secret: KubeObject, field: readonly string[]): boolean {
  return appliedFields(secret).some((fields) => at(fields, ...field) !== undefined);
}

/**
 * What may be served, where the Secret does not show it: of our ConfigMap the newest certificate that has been valid for an hour, and
 * those after it, since a process that has published one may have ended before it stored its key pair.
 */
function publishedCertificates(
  { engine }: ServingCertificate,
  { configMap, now }: StoredCertificate,
): readonly string[] {
  if (configMap === undefined || ownershipOf(configMap, engine) !== 'ours') return [];
  const published = pemCertificates(textAt(configMap, 'data', TRUST_KEY));
  const isOld = (pem: string): boolean => !(Date.parse(readCertificate(pem)?.validFrom ?? '') > now - OLD_MS);
  return published.slice(Math.max(published.findLastIndex(isOld), 0));
}

/** A Secret with a serving certificate that somebody else made: whether a component can serve with it. */

export type GivenCertificate = { readonly kind: 'usable' | 'doubtful' | 'unusable'; readonly message: string } & {
  /** When the state changes although the Secret does not, ms since the epoch; undefined: never. */
  readonly changesAt?: number;
};

/**
 * - usable: nothing wrong was found.
 * - doubtful: it is used, and may soon be of no use, or is of none to some.
 * - unusable: no server can use it, or no client accepts it.
 */
const TAKEN = 'was created by somebody else and is used unchanged';
/** As in the alert. A certificate that lives for a shorter time is renewed later. */
const EXPIRES_SOON_MS = 14 * 24 * 3600 * 1000;
const EXPIRES_SOON_SHARE = 1 / 6;

/** `data` of a Secret, base64. The finding has no part of the key. */
export function inspectSecretData(data: unknown): KeyPairFinding {
  const fields = isRecord(data) ? data : {};
  const present = Object.keys(fields);
  if (present.length === 0) return { kind: 'unusable', problem: 'is empty: it has no data' };
  const missing = [CERTIFICATE_FIELD, KEY_FIELD].filter((name) => !present.includes(name));
  if (missing.length > 0) {
    const others = present.filter((name) => name !== CERTIFICATE_FIELD && name !== KEY_FIELD);
    const has = others.length === 0 ? '' : `; it has ${nameList(others)}, which nothing reads`;
    return { kind: 'unusable', problem: `has no ${missing.join(' and no ')} in its data${has}` };
  }
  const titles = { certificate: CERTIFICATE_FIELD, key: KEY_FIELD };
  return inspectKeyPair({ certificate: decoded(fields, CERTIFICATE_FIELD), key: decoded(fields, KEY_FIELD) }, titles);
}

/** The state of such a Secret of a component at that time, ms since the epoch. */
export function givenCertificate(finding: KeyPairFinding, component: string, now: number): GivenCertificate {
  if (finding.kind === 'unusable')
    return {
      kind: 'unusable',
      message: `${finding.problem}; a running ${component} keeps the pair that it has loaded, and a new one cannot start`,
    };
  const { notBefore, notAfter, names } = finding;
  const problem = validityProblem(finding, now);
  if (problem !== undefined) {
    const state = { kind: 'unusable', message: `${problem}: no client accepts it` } as const;
    return now < notBefore ? { ...state, changesAt: notBefore } : state;
  }
  const soonAt = notAfter - Math.min(EXPIRES_SOON_MS, (notAfter - notBefore) * EXPIRES_SOON_SHARE);
  const validity = `valid until ${timestamp(notAfter)}`;
  if (names.length === 0) {
    const message = `${TAKEN}; ${validity}; it has no subjectAltName, without which clients accept it for no name`;
    return { kind: 'doubtful', message, changesAt: notAfter };
  }
  if (now >= soonAt)
    return { kind: 'doubtful', message: `${TAKEN}; it expires soon: ${validity}`, changesAt: notAfter };
  return { kind: 'usable', message: `${TAKEN}; ${validity}, for ${nameList(names)}`, changesAt: soonAt };
}

/** The state of such a Secret that could not be read. */
export function unreadCertificate(why: string): GivenCertificate {
  return { kind: 'doubtful', message: `${TAKEN}; its content could not be read and is not checked: ${why}` };
}

/** Text of a value in base64; of a value that is none, nothing. */
function decoded(fields: JsonRecord, name: string): string {
  const value = fields[name];
  try {
    return typeof value === 'string' ? atob(value) : '';
  } catch {
    return '';
  }
}
