import { isArray, isObject } from '../json.js';
import type { Json } from '../json.js';

/** The name of a JSON type in the messages of Go's decoder: `object`, `array`, `string`, `number`, `bool`. */
export function goDecoded(value: Json): string {
  if (isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
