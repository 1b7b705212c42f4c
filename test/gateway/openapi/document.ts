import type { MappingDeps } from '../../../src/gateway/response/mapresponse.js';
import { ObjectParser } from '../../../src/gateway/request/objectparser.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openApiDocument } from '../../../src/gateway/openapi/openapi.js';
import { FieldRules } from '../../../src/gateway/object/fieldrules.js';
import type { JsonSchema } from '../../../src/gateway/openapi/jsonschema.js';
import { root } from '../../support/repository/root.js';

function read(...file: string[]): string {
  return readFileSync(path.join(root, ...file), 'utf8');
}

const [engine, placement] = [read('crds', 'multiclusterengine.yaml'), read('crds', 'placement.yaml')];

/** The OpenAPI document, with the CRDs of this repository. */
export const document: JsonSchema = openApiDocument({ version: '0.0.0', engine, placement });

/** The field rules of its kinds. */
export const rules = new FieldRules([engine, placement]);

/** What responses of the API server are mapped with; bodies of tests are small, so that no thread is started. */
export const mapping: MappingDeps = { rules, parser: new ObjectParser(systemClock) };
