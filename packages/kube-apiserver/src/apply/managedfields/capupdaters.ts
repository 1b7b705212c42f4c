import { union } from '../fieldpath/fieldset.js';
import { compareBytes } from '@multicluster-engine/values/text';
import type { Owner, Owners } from './owners.js';
import { ownerId, secondsOf } from './owners.js';

/** The number of `Update` entries that an object may have. */
const MAX_UPDATERS = 10;
const BUCKET = 'ancient-changes';

/** Merges the oldest `Update` entries of each version into one until at most ten are left. */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || compareBytes(a, b));
  const capped = new Map(owners);
  const firsts = new Map<string, string>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = firsts.get(owner.apiVersion);
    if (first === undefined) {
      firsts.set(owner.apiVersion, id);
      continue;
    }
    const bucket: Owner = { ...owner, manager: BUCKET, subresource: '' };
    const bucketId = ownerId(bucket);
    const old = capped.get(bucketId) ?? capped.get(first);
    if (!capped.has(bucketId)) capped.delete(first);
    capped.set(bucketId, { ...bucket, fields: union(owner.fields, old?.fields ?? owner.fields) });
    capped.delete(id);
    count -= 1;
  }
  return capped;
}
