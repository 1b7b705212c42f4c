import type { MappingDeps } from '../../../src/gateway/response/mapresponse.js';
import { ObjectParser } from '../../../src/gateway/request/objectparser.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import type { JsonSchema } from '../../../tools/openapi/jsonschema.js';
import { root } from '../../support/repository/root.js';

function read(...file: string[]): string {
  return readFileSync(path.join(root, ...file), 'utf8');
}

/** The OpenAPI document that the gateway serves. */
export const document: JsonSchema = JSON.parse(read('docs', 'reference', 'openapi.json'));

/** The field rules of its kinds. */
export const rules = new FieldRules([read('crds', 'multiclusterengine.yaml'), read('crds', 'placement.yaml')]);

/** What responses of the API server are mapped with; bodies of tests are small, so that no thread is started. */
export const mapping: MappingDeps = { rules, parser: new ObjectParser(systemClock) };
