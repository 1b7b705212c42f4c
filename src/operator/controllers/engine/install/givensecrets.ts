import type { V1Secret } from '@kubernetes/client-node';
import type { BuiltIn, ObjectName } from '../../../../runtime/vocabulary/meta.js';
import { Secrets } from '../../../../runtime/vocabulary/kinds.js';
import { componentServingWith } from '../../../../domain/engine/catalogue.js';
import { idOf, titleOf } from '../../../../domain/engine/manifest/manifest.js';
import {
  givenCertificate,
  inspectSecretData,
  unreadCertificate,
  type GivenCertificate,
} from '../../../../domain/engine/steps/givencertificate.js';
import { errorText, isFailure } from '../../../../runtime/errors.js';
import type { GivenSecret } from '../memory.js';
import type { Scope } from '../scope.js';
import type { Input } from '../gather.js';
import type { TargetContents } from '../targetcaches.js';

/** When a Secret that could not be read is read again, ms. */
const RETRY_MS = 30_000;

/**
 * Reads a serving certificate that somebody else made, once for each version of the Secret. What is remembered has no part of
 * the key. `resourceVersion`: that of the cache. Throws Fenced and Aborted only.
 */
export async function readGivenSecret(
  name: ObjectName,
  resourceVersion: string | undefined,
  scope: Scope,
): Promise<void> {
  const { memory } = scope;
  const id = idOf(Secrets, name);
  const known = memory.givenSecrets.get(id);
  if (known !== undefined && 'finding' in known && known.resourceVersion === resourceVersion) return;
  memory.givenSecrets.set(id, await read(name, scope));
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

async function read(name: ObjectName, scope: Scope): Promise<GivenSecret> {
  const { client, pass } = scope;
  try {
    const secret = await client.get<BuiltIn<V1Secret>>(Secrets, name, { signal: pass.signal });
    if (secret === undefined) return { unread: 'it was deleted a moment ago' };
    return { resourceVersion: secret.metadata.resourceVersion, finding: inspectSecretData(secret.data) };
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    pass.log.warn({ object: titleOf(Secrets, name), err: error }, 'Secret could not be read');
    return { unread: errorText(error) };
  }
}

/** The types with which the kubelet pulls images. It passes over a Secret of another type without a word. */
const PULL_SECRET_TYPES = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'];

/**
 * Whether the pull secret exists and is of a type with which no image is pulled. The API server is asked once for each Secret,
 * by a selector: metadata has no type, and the content is not requested. False where it cannot be asked. Throws Fenced and
 * Aborted only.
 */
export async function isOfOtherType(
  { namespace, spec }: Input,
  { pullSecretUid: uid }: TargetContents,
  { client, memory, pass }: Scope,
): Promise<boolean> {
  if (uid === undefined) return false;
  if (memory.pullSecret?.uid === uid) return memory.pullSecret.isOfOtherType;
  const name = spec.imagePullSecret ?? '';
  const types = PULL_SECRET_TYPES.map((type) => `type!=${type}`);
  const fieldSelector = [`metadata.name=${name}`, ...types].join(',');
  try {
    const options = { fieldSelector, metadataOnly: true, signal: pass.signal };
    const found = await client.list(Secrets, namespace, options);
    const answer = found.some(({ metadata }) => metadata.uid === uid);
    memory.pullSecret = { uid, isOfOtherType: answer };
    return answer;
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    const object = titleOf(Secrets, { namespace, name });
    pass.log.warn({ object, err: error }, 'the type of the pull secret could not be read');
    return false;
  }
}
