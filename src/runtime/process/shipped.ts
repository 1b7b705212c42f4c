import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asRecord } from '../vocabulary/json.js';
import { packageRoot } from './build.js';

/** Files that are shipped beside the program. */

/** The text of a file of the package. @throws Error where it is missing */
export function shippedFile(...names: readonly string[]): string {
  return readFileSync(path.join(packageRoot(), ...names), 'utf8');
}

/** The generated OpenAPI document, JSON, with this version. */
export function shippedOpenApi(version: string): string {
  const document = asRecord(JSON.parse(shippedFile('docs', 'reference', 'openapi.json')));
  return JSON.stringify({ ...document, info: { ...asRecord(document['info']), version } });
}
