import { isArray, isObject } from '../json.js';
import type { Json } from '../json.js';

/** The member that makes an object of a strategic merge patch an order: `replace`, `delete`. */
export const DIRECTIVE = '$patch';

/** A value of the patch that has nothing to be merged with: what holds `$patch` is dropped, at any depth. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept = Object.entries(value).map(([key, child]) => [key, withoutDirectives(child ?? null)] as const);
  return Object.fromEntries(kept.filter(([, child]) => child !== undefined));
}

/** Drops the members that are null from objects at any depth; items of arrays stay. */
export function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null && child !== undefined);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child ?? null)]));
}
