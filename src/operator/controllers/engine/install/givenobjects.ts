import type { V1Secret } from '@kubernetes/client-node';
import type { BuiltIn, ObjectName } from '../../../../runtime/vocabulary/meta.js';
import { Secrets, ConfigMaps } from '../../../../runtime/vocabulary/kinds.js';
import { componentServingWith } from '../../../../domain/engine/catalogue.js';
import { idOf, titleOf } from '../../../../domain/engine/manifest/manifest.js';
import {
  givenCertificate,
  inspectSecretData,
  unreadCertificate,
  type GivenCertificate,
} from '../../../../domain/engine/steps/certificate.js';
import { sameJson } from '../../../../runtime/vocabulary/json.js';
import { errorText, isFailure } from '../../../../runtime/errors.js';
import type { Scope, GivenSecret } from '../scope.js';
import type { Input } from '../gather.js';
import type { TargetContents } from '../caches.js';
import { inspectTrustBundle, type TrustBundleFinding } from '../../../../domain/engine/steps/podtemplates.js';
import type { StatusInput } from '../../../../domain/engine/status/input.js';
import type { TrustBundle } from '../../../../domain/engine/spec.js';

/** What the engine uses of objects that somebody else made: it reads them, and never writes them. All functions throw Fenced and Aborted only. */

/** When a Secret that could not be read is read again, ms. */
const RETRY_MS = 30_000;

/**
 * Reads a serving certificate that somebody else made, once for each version of the Secret. What is remembered has no part of
 * the key. `resourceVersion`: that of the cache. Returns in how many ms its state changes; undefined: it does not.
 */
export async function readGivenSecret(
  name: ObjectName,
  resourceVersion: string | undefined,
  scope: Scope,
): Promise<number | undefined> {
  const { client, memory, pass } = scope;
  const id = idOf(Secrets, name);
  const known = memory.givenSecrets.get(id);
  const isKnown = known !== undefined && 'finding' in known && known.resourceVersion === resourceVersion;
  if (!isKnown) {
    const read = client.get<BuiltIn<V1Secret>>(Secrets, name, { signal: pass.signal });
    const found = await orFailure(read, titleOf(Secrets, name), 'Secret could not be read', scope);
    memory.givenSecrets.set(id, givenSecret(found));
  }
  return givenSecretState(name, scope).dueInMs;
}

function givenSecret(found: Read<BuiltIn<V1Secret> | undefined>): GivenSecret {
  if (found.kind === 'failed') return { unread: found.why };
  if (found.value === undefined) return { unread: 'it was deleted a moment ago' };
  return { resourceVersion: found.value.metadata.resourceVersion, finding: inspectSecretData(found.value.data) };
}

type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'failed'; readonly why: string };

/** What was read, or why it was not, which is logged with `text`. */
async function orFailure<T>(read: Promise<T>, object: string, text: string, { pass }: Scope): Promise<Read<T>> {
  try {
    return { kind: 'read', value: await read };
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    pass.log.warn({ object, err: error }, text);
    return { kind: 'failed', why: errorText(error) };
  }
}

/** The state of a serving certificate that somebody else made, as it was last read, and in how many ms it changes. */
export function givenSecretState(
  name: ObjectName,
  { memory, clock }: Pick<Scope, 'memory' | 'clock'>,
): GivenCertificate & { readonly dueInMs?: number } {
  const known = memory.givenSecrets.get(idOf(Secrets, name)) ?? { unread: 'it was not read yet' };
  if ('unread' in known) return { ...unreadCertificate(known.unread), dueInMs: RETRY_MS };
  const given = givenCertificate(known.finding, componentServingWith(name.name), clock.now());
  return given.changesAt === undefined ? given : { ...given, dueInMs: Math.max(given.changesAt - clock.now(), 0) };
}

/** The types with which the kubelet pulls images. It passes over a Secret of another type without a word. */
const PULL_SECRET_TYPES = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'];

interface GivenPullSecret {
  /** Undefined where nothing is known to be wrong with it. */
  readonly problem: StatusInput['pullSecret'];
  /** When it is to be read again, because it could not be. */
  readonly dueInMs?: number;
}

/**
 * What is known of the pull secret. The API server is asked once for each Secret whether its type is another one, by a selector:
 * metadata has no type, and the content is not requested.
 */
export async function givenPullSecret(
  { namespace, spec }: Input,
  { pullSecret: presence, pullSecretUid: uid }: TargetContents,
  scope: Scope,
): Promise<GivenPullSecret> {
  const { client, memory, pass } = scope;
  const name = spec.imagePullSecret ?? '';
  const problem = (kind: 'missing' | 'unusable') => ({ problem: { kind, name: `${namespace}/${name}` } });
  const none = { problem: undefined };
  if (presence === 'absent') return problem('missing');
  if (uid === undefined) return none;
  if (memory.pullSecret?.uid !== uid) {
    const fieldSelector = [`metadata.name=${name}`, ...PULL_SECRET_TYPES.map((type) => `type!=${type}`)].join(',');
    const read = client.list(Secrets, namespace, { fieldSelector, metadataOnly: true, signal: pass.signal });
    const object = titleOf(Secrets, { namespace, name });
    const found = await orFailure(read, object, 'the type of the pull secret could not be read', scope);
    if (found.kind === 'failed') return { ...none, dueInMs: RETRY_MS };
    memory.pullSecret = { uid, isOfOtherType: found.value.some(({ metadata }) => metadata.uid === uid) };
  }
  return memory.pullSecret.isOfOtherType ? problem('unusable') : none;
}

/** When the ConfigMap is read again, ms. It is polled: the operator may list ConfigMaps, and watch only its own. */
const AGAIN_MS = Object.freeze({ usable: 60_000, unusable: 10_000 });

/**
 * Reads the trust bundle when that is due, into the memory. Returns in how many ms it is due again; undefined without a
 * bundle. A bundle that was usable stays so while it cannot be read.
 */
export async function readTrustBundle(input: Input, scope: Scope): Promise<number | undefined> {
  const { client, memory, clock, pass } = scope;
  const { namespace, spec } = input;
  const { trustBundle: bundle } = spec;
  const known = sameJson(memory.trustBundle?.bundle, bundle) ? memory.trustBundle : undefined;
  if (bundle === undefined) {
    memory.trustBundle = undefined;
    return undefined;
  }
  const now = clock.monotonic();
  if (known !== undefined && now < known.readAgainAt) return known.readAgainAt - now;
  const name = bundle.configMapName;
  const read = client.list(ConfigMaps, namespace, { fieldSelector: `metadata.name=${name}`, signal: pass.signal });
  const object = titleOf(ConfigMaps, { namespace, name });
  const found = await orFailure(read, object, 'the trust bundle could not be read', scope);
  const finding = bundleFinding(bundle, found, known?.finding);
  const afterMs = AGAIN_MS[finding.kind];
  memory.trustBundle = { bundle, finding, readAgainAt: now + afterMs };
  return afterMs;
}

function bundleFinding(
  bundle: TrustBundle,
  found: Read<readonly unknown[]>,
  before: TrustBundleFinding | undefined,
): TrustBundleFinding {
  if (found.kind === 'read') return inspectTrustBundle(bundle, found.value[0]);
  return before?.kind === 'usable' ? before : { kind: 'unusable', problem: `cannot be read: ${found.why}` };
}

/** For people: what is wrong with the bundle; undefined when nothing is, or there is none. */
export function trustBundleProblem({ namespace }: Input, { memory }: Pick<Scope, 'memory'>): string | undefined {
  const { bundle, finding } = memory.trustBundle ?? {};
  if (bundle === undefined || finding?.kind !== 'unusable') return undefined;
  return `ConfigMap ${namespace}/${bundle.configMapName}, named by spec.trustBundle, ${finding.problem}`;
}
