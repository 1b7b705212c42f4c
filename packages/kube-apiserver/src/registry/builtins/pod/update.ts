import { equal, own, withKey, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, textAt } from '@multicluster-engine/values/fields';
import { forbiddenField } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

const IMMUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The error of a changed spec, of which few fields are mutable. */
export function checkSpecChange(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const tolerations = listAt(next, 'tolerations');
  if (!listAt(old, 'tolerations').every((one) => tolerations.some((other) => equal(one, other))))
    return [forbiddenField('spec', IMMUTABLE)];
  let restored = next;
  for (const list of ['containers', 'initContainers']) restored = withImagesOf(restored, old, list);
  for (const field of ['activeDeadlineSeconds', 'tolerations']) restored = withKey(restored, field, own(old, field));
  if (own(old, 'terminationGracePeriodSeconds') === -1 && own(next, 'terminationGracePeriodSeconds') === 1)
    restored = withKey(restored, 'terminationGracePeriodSeconds', -1);
  return equal(restored, old) ? [] : [forbiddenField('spec', IMMUTABLE)];
}

function withImagesOf(next: JsonObject, old: JsonObject, list: string): JsonObject {
  const before = listAt(old, list);
  if (own(next, list) === undefined) return next;
  const containers = listAt(next, list).map((container, at) => {
    const other = before[at];
    return other === undefined ? container : withKey(container, 'image', textAt(other, 'image'));
  });
  return withKey(next, list, containers);
}
