import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openApiDocument } from '../../src/gateway/openapi.js';
import type { JsonSchema } from '../../src/gateway/schemas.js';
import { root } from '../support/root.js';

function read(...file: string[]): string {
  return readFileSync(path.join(root, ...file), 'utf8');
}

/** The OpenAPI document of the tree under test. */
export const document: JsonSchema = openApiDocument({
  version: '0.0.0', engine: read('crds', 'multiclusterengine.yaml'), placement: read('crds', 'placement.yaml'),
});
