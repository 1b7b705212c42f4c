import { Secrets } from '../../../../runtime/vocabulary/kinds.js';
import { titleOf } from '../../../../domain/engine/manifest/manifest.js';
import { isFailure } from '../../../../runtime/errors.js';
import type { Input } from '../gather.js';
import type { Scope } from '../scope.js';
import type { TargetContents } from '../targetcaches.js';

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
