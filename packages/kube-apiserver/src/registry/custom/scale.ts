import { isObject, own, withKey } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Subresource } from '../../resource.js';
import { StatusError, badRequest } from '../../status.js';
import { numberAt, structAt, valueAt } from '@multicluster-engine/values/fields';
import { accessorError, keysOf, type ScalePaths } from '@multicluster-engine/values/schema/custom/scalerules';
import { SCALE, SCALE_SCHEMA, scaleColumns, scaleObject } from '../builtins/apps/scale.js';

/** Represents a missing number of replicas; the smallest int32, as in kube-apiserver. */
const ABSENT = -2_147_483_648;

/** The scale of a custom resource: the kind Scale of autoscaling/v1 over the object's own fields. */
export function customScale(paths: ScalePaths): Subresource {
  const field = keysOf(paths.specReplicas);
  return {
    ...SCALE,
    view: {
      schema: SCALE_SCHEMA,
      replicas: field,
      read: (object) => scaleOf(object, paths, 0),
      draft: (object) => scaleOf(object, paths, ABSENT),
      get(object) {
        if (integerAt(object, field) === undefined)
          throw internal(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`);
        return scaleOf(object, paths, 0);
      },
      write(object, scale) {
        const replicas = numberAt(structAt(scale, 'spec'), 'replicas');
        if (replicas === ABSENT)
          throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`);
        return { ...object, ...withValue(object, field, replicas) };
      },
      // The fields of the custom resource itself are validated, by checkScale.
      validate: () => [],
      columns: scaleColumns('Number of desired replicas', 'Number of actual replicas'),
    },
  };
}

function scaleOf(object: KubeObject, paths: ScalePaths, absent: number): KubeObject {
  const selector = paths.labelSelector === '' ? undefined : valueAt(object, keysOf(paths.labelSelector));
  return scaleObject(object, {
    desired: integerAt(object, keysOf(paths.specReplicas)) ?? absent,
    available: integerAt(object, keysOf(paths.statusReplicas)) ?? 0,
    selector: typeof selector === 'string' ? selector : '',
  });
}

/**
 * An integer of the object; undefined where the field is missing or null.
 * @throws StatusError 500 for another value
 */
function integerAt(object: JsonObject, keys: readonly string[]): number | undefined {
  const value = valueAt(object, keys);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new StatusError(500, accessorError(`.${keys.join('.')}`, value, 'int64'));
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return withKey(object, key, value);
  const inner = own(object, key);
  return withKey(object, key, withValue(isObject(inner) ? inner : {}, rest, value));
}

function internal(why: string): StatusError {
  return new StatusError(500, `Internal error occurred: ${why}`, {
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
  });
}
