import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openApiDocument } from '../../src/gateway/openapi/openapi.js';
import { FieldRules } from '../../src/gateway/object/fieldrules.js';
import type { JsonSchema } from '../../src/gateway/openapi/jsonschema.js';
import { root } from '../support/repository/root.js';

function read(...file: string[]): string {
  return readFileSync(path.join(root, ...file), 'utf8');
}

const [engine, placement] = [read('crds', 'multiclusterengine.yaml'), read('crds', 'placement.yaml')];

/** The OpenAPI document, with the CRDs of this repository. */
export const document: JsonSchema = openApiDocument({ version: '0.0.0', engine, placement });

/** The field rules of its kinds. */
export const rules = new FieldRules([engine, placement]);
