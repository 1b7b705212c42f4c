import { knownFormat } from '../formats.js';
import type { Schema } from './schema.js';

/** The format of a schema if it is known for the schema's type; undefined where the API server ignores it. */
export function schemaFormat({ type, format, ...schema }: Schema): string | undefined {
  return knownFormat(schema['x-kubernetes-int-or-string'] === true ? 'string' : type, format);
}
