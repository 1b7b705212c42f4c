import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { ENGINE_FIELD_MANAGER, EXPIRY_ANNOTATION, TRUST_ANNOTATION } from '../../../api/names.js';
import { ConfigMaps, Secrets } from '../../../api/resources.js';
import { timestamp } from '../../conditions.js';
import type { ServingCertificateRow } from '../catalogue.js';
import {
  withCommonMetadata,
  type DesiredObject,
  type EngineIdentity,
  type EngineSettings,
} from '../manifest/desired.js';
import { driftedFields } from './drift.js';
import { at, itemsAt, textAt, type Manifest } from '../manifest/manifest.js';
import { ownershipOf, wasAppliedByUs } from './ownership.js';
import { LEFTOVER_CAUSE } from './plan.js';
import { finalizersOf, isTerminating } from './termination.js';

/**
 * A serving certificate is a Secret that holds the pair, and a ConfigMap that holds what clients trust: the certificate
 * that is served now and the one before it, or, in the moment before the Secret changes, its successor. Nothing of the
 * Secret but its metadata is ever read: its end and the certificates stand in annotations, and that somebody else wrote
 * the pair shows in the managed fields.
 */

/** A self-signed pair, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
  /** Ms since the epoch. */
  readonly notAfter: number;
}

/** For whom and what a certificate's objects are made. */
export interface ServingCertificate {
  readonly component: string;
  readonly row: ServingCertificateRow;
  readonly namespace: string;
  readonly engine: EngineIdentity;
  readonly settings: EngineSettings;
}

/** What is stored of it. */
export interface StoredCertificate {
  /** Metadata of the Secret, managed fields among it; undefined: there is none. */
  readonly secret: KubeObject | undefined;
  readonly configMap: KubeObject | undefined;
  /** The target namespace; undefined where namespaces are not ours to look at. */
  readonly namespaceObject: KubeObject | undefined;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * - given: the Secret is somebody else's and taken as it is.
 * - keep: ours and good until `renewAt` (ms since the epoch); `bundle` is what the ConfigMap has to hold.
 * - issue, renew: a new pair is needed. `served`: the certificate that a running process may still serve.
 * - wait: something has to go first.
 */
export type CertificateDecision =
  | { readonly kind: 'given'; readonly cause: string }
  | { readonly kind: 'keep'; readonly renewAt: number; readonly bundle: string }
  | { readonly kind: 'issue'; readonly cause: string; readonly served: string | undefined }
  | { readonly kind: 'renew'; readonly cause: string; readonly served: string | undefined; readonly drift: boolean }
  | { readonly kind: 'wait'; readonly cause: string };

/** A third of the 90 days that a certificate lives: it is renewed at two thirds. */
export const RENEW_BEFORE_MS = 30 * 24 * 3600 * 1000;
/** Two thirds, and a day: one that is not due for longer was issued by a clock that went ahead. */
const LONGEST_MS = 61 * 24 * 3600 * 1000;
const TRUST_KEY = 'ca.crt';
const VERSION_LABEL = 'app.kubernetes.io/version';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** What of the Secret has to be booked under our name: whoever writes it takes it from us. */
const OWNED_FIELDS: readonly (readonly string[])[] = [
  ['f:data', 'f:tls.crt'],
  ['f:data', 'f:tls.key'],
  ['f:metadata', 'f:annotations', `f:${EXPIRY_ANNOTATION}`],
  ['f:metadata', 'f:annotations', `f:${TRUST_ANNOTATION}`],
];

/** The names under which the Service is reached, the shortest first. */
export function certificateNames({ row, namespace }: ServingCertificate): readonly string[] {
  const { service } = row;
  return [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ];
}

/** What is to be done about a certificate. Pure. */
export function decideCertificate(one: ServingCertificate, sight: StoredCertificate): CertificateDecision {
  const { secret, namespaceObject, now } = sight;
  if (secret === undefined) {
    if (namespaceObject !== undefined && isTerminating(namespaceObject)) {
      return { kind: 'wait', cause: `Namespace ${namespaceObject.metadata.name} is being deleted` };
    }
    return { kind: 'issue', cause: 'does not exist', served: publishedCertificate(one, sight.configMap) };
  }
  const ownership = ownershipOf(secret, one.engine);
  if (ownership === 'leftover') return { kind: 'wait', cause: LEFTOVER_CAUSE };
  if (ownership !== 'ours' && !wasAppliedByUs(secret, one.engine)) {
    return { kind: 'given', cause: 'was made by somebody else and is taken as it is' };
  }
  if (isTerminating(secret)) return { kind: 'wait', cause: `is being deleted${finalizersOf(secret)}` };
  const taken = OWNED_FIELDS.filter((field) => !ownsField(secret, field)).map((field) =>
    field.map((step) => step.slice(2)).join('.'),
  );
  if (taken.length > 0)
    return {
      kind: 'renew',
      drift: true,
      cause: `was changed by somebody else at ${taken.join(', ')}`,
      served: publishedCertificate(one, sight.configMap),
    };
  const bundle = secret.metadata.annotations?.[TRUST_ANNOTATION] ?? '';
  const served = certificatesIn(bundle).at(-1);
  const drifted = driftedFields(lastingMetadata(one), secret);
  if (drifted.length > 0) return { kind: 'renew', drift: true, cause: `differs at ${drifted.join(', ')}`, served };
  const expiry = secret.metadata.annotations?.[EXPIRY_ANNOTATION] ?? '';
  const renewAt = Date.parse(expiry) - RENEW_BEFORE_MS;
  if (renewAt - now > LONGEST_MS)
    return { kind: 'renew', drift: false, cause: `is made for a time to come, to the ${expiry}`, served };
  if (now < renewAt) return { kind: 'keep', renewAt, bundle };
  return { kind: 'renew', drift: false, cause: `ends at ${expiry}`, served };
}

/** What the ConfigMap holds once `issued` is published: the certificate that is served until the Secret changes, and this one. */
export function bundleOf(issued: KeyPair, served: string | undefined): string {
  const trusted = new Set([...(served === undefined ? [] : [served]), ...certificatesIn(issued.certificate)]);
  return [...trusted].map((pem) => `${pem}\n`).join('');
}

/** The ConfigMap that publishes `bundle`. */
export function bundleConfigMap(one: ServingCertificate, bundle: string): DesiredObject {
  return complete(one, ConfigMaps, { metadata: { name: one.row.configMap }, data: { [TRUST_KEY]: bundle } });
}

/** The Secret that holds `issued`; its revision, which everybody may read, says nothing of the key. */
export function keyPairSecret(one: ServingCertificate, issued: KeyPair, bundle: string): DesiredObject {
  const annotations = { [EXPIRY_ANNOTATION]: timestamp(issued.notAfter), [TRUST_ANNOTATION]: bundle };
  const open = complete(one, Secrets, { metadata: { name: one.row.secret, annotations }, type: 'kubernetes.io/tls' });
  const data = { 'tls.crt': btoa(issued.certificate), 'tls.key': btoa(issued.privateKey) };
  return { ...open, object: { ...open.object, data } };
}

function complete(one: ServingCertificate, type: ResourceType, object: Manifest): DesiredObject {
  const metadata = { ...object.metadata, namespace: one.namespace };
  return withCommonMetadata(
    { type, component: one.component, object: { ...object, metadata } },
    one.engine,
    one.settings,
  );
}

/** Owner and labels as every version of the operator writes them: another version is no reason for another key. */
function lastingMetadata(one: ServingCertificate): { metadata: object } {
  const { labels = {}, ownerReferences } = complete(one, Secrets, { metadata: { name: one.row.secret } }).object
    .metadata;
  const { [VERSION_LABEL]: _, ...lasting } = labels;
  return { metadata: { labels: lasting, ownerReferences } };
}

function ownsField(secret: KubeObject, field: readonly string[]): boolean {
  const ours = itemsAt(at(secret, 'metadata'), 'managedFields').filter(
    (entry) => entry['manager'] === ENGINE_FIELD_MANAGER && entry['operation'] === 'Apply',
  );
  return ours.some((entry) => at(entry, 'fieldsV1', ...field) !== undefined);
}

/** The newest certificate that our ConfigMap publishes: the last word on what is served, where the Secret has none. */
function publishedCertificate(one: ServingCertificate, configMap: KubeObject | undefined): string | undefined {
  if (configMap === undefined || ownershipOf(configMap, one.engine) !== 'ours') return undefined;
  return certificatesIn(textAt(configMap, 'data', TRUST_KEY)).at(-1);
}

function certificatesIn(text: string): readonly string[] {
  return text.match(CERTIFICATE) ?? [];
}
