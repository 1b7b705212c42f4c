import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { load } from 'js-yaml';

import { MEDIA_TYPES } from '../../src/gateway/request/media.js';
import { STATUS_ERRORS } from '../../src/gateway/statuserror.js';
import { ROUTES } from '../../src/gateway/request/routes.js';
import { root } from '../support/repository/root.js';
import { nonconformities } from './conformance.js';
import { document } from './document.js';
import { ENGINES, PLACEMENTS } from './rig.js';
import { PLACEMENT } from './upstream.js';

function at(...steps: string[]): Record<string, unknown> {
  let here: unknown = document;
  for (const step of steps) here = Object(here)[step];
  return Object(here);
}

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

describe('the OpenAPI document', () => {
  it('the OpenAPI document is valid OpenAPI 3.1 for a published validator', async () => {
    const validator = new Validator();

    expect(await validator.validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('the OpenAPI document has exactly the paths and methods of the route table', () => {
    const paths = at('paths');

    expect(Object.keys(paths)).toEqual(ROUTES.map(({ template }) => template));
    for (const { template, operations } of ROUTES) {
      expect(
        Object.keys(Object(paths[template]))
          .filter((key) => key !== 'parameters')
          .sort(),
      ).toEqual(operations.map(({ method }) => method.toLowerCase()).sort());
    }
  });

  it('the OpenAPI document has every status code, media type and parameter', () => {
    const codes = [...new Set(Object.values(STATUS_ERRORS).map(({ code }) => `Code${code}`))];
    const post = at('paths', ENGINES, 'post');

    expect(Object.keys(at('components', 'responses')).sort()).toEqual(codes.sort());
    expect(Object.keys(Object(Object(post['requestBody'])['content']))).toEqual(MEDIA_TYPES.map(({ name }) => name));
    for (const { template } of ROUTES) {
      const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters: unknown = at('paths', template)['parameters'];
      expect(Array.isArray(parameters) ? parameters.map((one: unknown) => Object(one).name) : []).toEqual(names);
    }
  });

  it.each([
    ['multiclusterengine', 'MultiClusterEngine'],
    ['placement', 'Placement'],
  ])("the OpenAPI document describes every field of the CRD %s in the CRD's own words", (file, kind) => {
    const crd: unknown = load(readFileSync(path.join(root, 'crds', `${file}.yaml`), 'utf8'));
    const fields = (node: unknown, place = ''): string[] => {
      const { properties, items, additionalProperties, description } = Object(node);
      const below = Object.entries(Object(properties))
        .filter(([name]) => place !== '' || name !== 'metadata')
        .flatMap(([name, child]) => fields(child, `${place}.${name}`));
      return [
        `${place}: ${description}`,
        ...below,
        ...(items === undefined ? [] : fields(items, `${place}[]`)),
        ...(typeof additionalProperties === 'object' ? fields(additionalProperties, `${place}{}`) : []),
      ];
    };

    expect(fields(at('components', 'schemas', kind))).toEqual(
      fields(Object(crd).spec.versions[0].schema.openAPIV3Schema),
    );
  });

  it('the OpenAPI document equals docs/reference/openapi.json, except for the release', () => {
    const committed: unknown = JSON.parse(readFileSync(path.join(root, 'docs', 'reference', 'openapi.json'), 'utf8'));

    expect({ ...Object(committed), info: {} }).toEqual({ ...document, info: {} });
  });
});

describe('the conformance check of responses', () => {
  const good = {
    status: 200,
    headers: { ...ALWAYS, 'content-type': 'application/json', etag: '"8"' },
    body: JSON.stringify(PLACEMENT),
  };

  it.each<[string, object, boolean]>([
    ['a good one', {}, true],
    ['another code', { status: 201 }, false],
    ['a header too many', { headers: { ...good.headers, 'set-cookie': 'a=b' } }, false],
    ['a header too few', { headers: { 'content-type': 'application/json' } }, false],
    ['a wrong header', { headers: { ...good.headers, etag: '8' } }, false],
    ['another type', { headers: { ...good.headers, 'content-type': 'text/html' } }, false],
    ['another kind', { body: '{"kind":"Secret","metadata":{}}' }, false],
    ['no body', { body: '', headers: ALWAYS }, false],
    ['a field of another type', { body: JSON.stringify({ ...PLACEMENT, spec: { numberOfClusters: 'two' } }) }, false],
    ['an error with a body', { status: 404 }, false],
  ])('the conformance check of responses judges %s', (_what, change, fine) => {
    expect(nonconformities('GET', `${PLACEMENTS}/web`, { ...good, ...change }).length === 0).toBe(fine);
  });
});
