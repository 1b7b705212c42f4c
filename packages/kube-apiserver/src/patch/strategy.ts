import { structOf } from '@multicluster-engine/values/schema/builtin';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { unknownError } from '../status.js';
import { goQuote } from '@multicluster-engine/values/text';

/**
 * The schema of a member of an object.
 *
 * @throws StatusError 500, as the API server, when the Go type has no such field or is a map.
 */
export function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === undefined)
    throw unknownError('merging an object in json but data type is not struct, instead is: interface');
  const properties = schema.properties;
  if (properties === undefined)
    throw unknownError('merging an object in json but data type is not struct, instead is: map');
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (field !== undefined) return field;
  const struct = structOf(schema)?.split('.').at(-1) ?? '';
  throw unknownError(`unable to find api field in struct ${struct} for the json field ${goQuote(name)}`);
}

/** The patch strategy of a field other than `retainKeys`, which only permits that directive. */
export function strategyOf(field: Schema | undefined): string {
  const strategies = (field?.['x-kubernetes-patch-strategy'] ?? '').split(',');
  return strategies.find((strategy) => strategy !== 'retainKeys') ?? '';
}
