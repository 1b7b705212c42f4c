import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';

/** The directive key of an object in a strategic merge patch: `replace`, `delete`. */
export const DIRECTIVE = '$patch';

/** A patch value that has no counterpart in the object: values that contain `$patch` are dropped at any depth. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept = Object.entries(value).map(([key, child]) => [key, withoutDirectives(child ?? null)] as const);
  return Object.fromEntries(kept.filter(([, child]) => child !== undefined));
}

/** Drops null members of objects at any depth; array items are kept. */
export function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null && child !== undefined);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child ?? null)]));
}
