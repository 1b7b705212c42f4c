import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { compileRules } from '../../../src/apiserver/cel/rules.js';
import type { Schema } from '../../../src/apiserver/schema/schema.js';
import { root } from '../../support/root.js';

const files = readdirSync(path.join(root, 'crds')).filter((file) => file !== 'kustomization.yaml');

describe('the custom resource definitions of this product', () => {
  it.each(files)('%s: every rule compiles and costs little enough', (file) => {
    const schemas = versionsOf(load(readFileSync(path.join(root, 'crds', file), 'utf8')) as Crd);
    expect(schemas.length).toBeGreaterThan(0);
    for (const schema of schemas) expect(compileRules(schema, 'spec.validation.openAPIV3Schema')).toEqual([]);
  });
});

interface Crd {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
}

function versionsOf({ spec }: Crd): Schema[] {
  return spec.versions.map(({ schema }) => schema.openAPIV3Schema);
}
