import { isObject, own, type Json } from '@multicluster-engine/values/json';
import type { Body } from '../../schema/body/body.js';
import { badRequest } from '../../status.js';
import type { PostHandler, Verbs } from '../../verbs/verbs.js';

/**
 * Responds to POST …/pods/NAME/eviction: deletes the Pod. PodDisruptionBudgets are not asked, since nothing counts the
 * Pods for their status.
 */
export function eviction(verbs: Verbs): PostHandler {
  return async (target, body, { query, caller }) => {
    const { value } = body;
    const given = isObject(value) ? own(value, 'metadata') : undefined;
    const name = isObject(given) ? own(given, 'name') : undefined;
    if (typeof name === 'string' && name !== '' && name !== target.name)
      throw badRequest('name in URL does not match name in Eviction object');
    await verbs.delete({ ...target, subresource: '' }, deleteOptionsOf(value), query, caller);
    return { code: 201, object: { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 } };
  };
}

function deleteOptionsOf(value: Json): Body | undefined {
  const options = isObject(value) ? own(value, 'deleteOptions') : undefined;
  return options === undefined || options === null ? undefined : { value: options, duplicates: [] };
}
