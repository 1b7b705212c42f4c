import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { load } from 'js-yaml';

import { MEDIA_TYPES } from '../../src/gateway/request/media.js';
import { STATUS_ERRORS } from '../../src/gateway/statuserror.js';
import { OBJECT_META } from '@multicluster-engine/values/schema/metadata/fields';
import { releaseVersion } from '../../src/runtime/process/build.js';
import { openApiDocument } from '../../tools/openapi/openapi.js';
import { celKeywords } from '../../tools/openapi/celrules.js';
import { MAX_OBJECT_NAME } from '../../tools/openapi/patterns.js';
import { ROUTES } from '../../src/gateway/request/routes.js';
import { mergeSchemas, type JsonSchema } from '../../tools/openapi/jsonschema.js';
import { root } from '../support/repository/root.js';
import { nonconformities, validatorOf } from '../gateway/openapi/conformance.js';
import { document } from '../gateway/openapi/document.js';
import { ENGINES, PLACEMENTS } from '../gateway/rig.js';
import { PLACEMENT } from '../gateway/upstream.js';

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

  it('docs/reference/openapi.json, which the gateway serves, is what is generated from the sources', () => {
    const generated = openApiDocument({
      version: releaseVersion(),
      engine: readFileSync(path.join(root, 'crds', 'multiclusterengine.yaml'), 'utf8'),
      placement: readFileSync(path.join(root, 'crds', 'placement.yaml'), 'utf8'),
    });

    expect(JSON.parse(JSON.stringify(generated))).toEqual(document);
  });
});

describe('the schemas of requests', () => {
  const fits = (name: string, body: unknown): boolean =>
    validatorOf({ $ref: `#/components/schemas/${name}` })(JSON.parse(JSON.stringify(body)));
  const engine = (spec: object): object => ({ metadata: { name: 'e' }, spec });
  const tolerations = (toleration: object): object => engine({ tolerations: [toleration] });
  const selecting = (labelSelector: object): object => ({
    metadata: { name: 'web' },
    spec: { predicates: [{ requiredClusterSelector: { labelSelector } }] },
  });
  const expression = (one: object): object => selecting({ matchExpressions: [one] });
  const matchLabels = (labels: object): object => selecting({ matchLabels: labels });

  it.each<[string, string, object]>([
    ['a new object', 'PlacementCreate', { metadata: { name: 'web', namespace: 'shop' }, spec: {}, status: {} }],
    ['a generated name', 'PlacementCreate', { spec: {}, metadata: { generateName: 'web-', creationTimestamp: null } }],
    ['a stored object', 'PlacementUpdate', { ...PLACEMENT, metadata: { ...PLACEMENT.metadata, generation: 2 } }],
    ['metadata of the path', 'MultiClusterEngineUpdate', { metadata: {} }],
    ['labels', 'PlacementUpdate', { spec: {}, metadata: { labels: { 'a.b/c_D': 'x', e: '' } } }],
    ['a reserved prefix in another place', 'MultiClusterEngineCreate', engine({ targetNamespace: 'my-kube-system' })],
    ['every taint', 'MultiClusterEngineCreate', tolerations({ operator: 'Exists' })],
    ['a taint', 'MultiClusterEngineCreate', tolerations({ key: 'a.b/c', value: 'd', tolerationSeconds: -1 })],
    ['labels of clusters', 'PlacementCreate', matchLabels({ 'example.com/tier': 'gold', edge: '' })],
    ['a list of values', 'PlacementCreate', expression({ key: 'a', operator: 'In', values: ['b'] })],
  ])('the schemas of requests allow %s', (_what, schema, body) => {
    expect(fits(schema, body)).toBe(true);
  });

  it.each<[string, string, object]>([
    ['no metadata', 'PlacementUpdate', {}],
    ['no spec in a replacement', 'PlacementUpdate', { metadata: {} }],
    ['no spec', 'PlacementCreate', { metadata: { name: 'web' } }],
    ['no name', 'PlacementCreate', { spec: {}, metadata: {} }],
    [
      'a resourceVersion of a new object',
      'PlacementCreate',
      { spec: {}, metadata: { name: 'web', resourceVersion: '7' } },
    ],
    ['a resourceVersion that no object has', 'PlacementUpdate', { spec: {}, metadata: { resourceVersion: '07' } }],
    ['the namespace of an engine', 'MultiClusterEngineCreate', { metadata: { name: 'e', namespace: 'shop' } }],
    ['another kind', 'PlacementCreate', { spec: {}, kind: 'Secret', metadata: { name: 'web' } }],
    ['an unknown field', 'PlacementCreate', { metadata: { name: 'web' }, spec: {}, specs: {} }],
    ['an unknown field of metadata', 'PlacementCreate', { spec: {}, metadata: { name: 'web', label: {} } }],
    ['a forbidden field', 'PlacementCreate', { metadata: { name: 'web' }, spec: { clusterSets: [] } }],
    ['a repeated set', 'PlacementCreate', { metadata: { name: 'web' }, spec: { ClusterSets: ['a', 'a'] } }],
    ['a name in capitals', 'PlacementCreate', { spec: {}, metadata: { name: 'Web' } }],
    ['a long name', 'PlacementCreate', { spec: {}, metadata: { name: 'a'.repeat(64) } }],
    ['a label key', 'PlacementUpdate', { spec: {}, metadata: { labels: { 'a b': '' } } }],
    [
      'a long prefix of a label key',
      'PlacementUpdate',
      { spec: {}, metadata: { labels: { [`${'a'.repeat(254)}/b`]: '' } } },
    ],
    ['a key that no body may have', 'PlacementUpdate', { spec: {}, metadata: { annotations: { constructor: '' } } }],
    ['a finalizer without a domain', 'PlacementUpdate', { spec: {}, metadata: { finalizers: ['cleanup'] } }],
    [
      'two controllers',
      'PlacementUpdate',
      {
        spec: {},
        metadata: {
          ownerReferences: ['a', 'b'].map((uid) => ({
            apiVersion: 'v1',
            kind: 'Pod',
            name: uid,
            uid,
            controller: true,
          })),
        },
      },
    ],
    ['a leap second', 'PlacementUpdate', { spec: {}, metadata: { creationTimestamp: '2016-12-31T23:59:60Z' } }],
    ['a reserved namespace', 'MultiClusterEngineCreate', engine({ targetNamespace: 'kube-x' })],
    ['the default namespace', 'MultiClusterEngineCreate', engine({ targetNamespace: 'default' })],
    ['an empty taint key', 'MultiClusterEngineCreate', tolerations({ operator: 'Equal', key: '' })],
    ['no taint key', 'MultiClusterEngineCreate', tolerations({ value: 'x' })],
    ['a value of every taint', 'MultiClusterEngineCreate', tolerations({ operator: 'Exists', value: 'x' })],
    ['a node label', 'MultiClusterEngineCreate', engine({ nodeSelector: { 'a b': '' } })],
    ['a value of a node label', 'MultiClusterEngineCreate', engine({ nodeSelector: { a: 'b c' } })],
    ['a label key of a cluster', 'PlacementCreate', matchLabels({ 'a b': '' })],
    ['a label value of a cluster', 'PlacementCreate', matchLabels({ a: 'b c' })],
    ['no values', 'PlacementCreate', expression({ key: 'a', operator: 'NotIn' })],
    ['values of Exists', 'PlacementCreate', expression({ key: 'a', operator: 'Exists', values: ['b'] })],
  ])('the schemas of requests do not allow %s', (_what, schema, body) => {
    expect(fits(schema, body)).toBe(false);
  });

  it('the schemas of requests have every field of metadata that the gateway knows', () => {
    const fields = (name: string): string[] =>
      Object.keys(at('components', 'schemas', name, 'properties', 'metadata', 'properties'));
    const known = Object.keys(OBJECT_META.properties).sort();

    expect(fields('PlacementUpdate').sort()).toEqual(known);
    expect(fields('PlacementCreate').sort()).toEqual(known.filter((name) => name !== 'resourceVersion'));
    expect(fields('MultiClusterEngineUpdate').sort()).toEqual(known.filter((name) => name !== 'namespace'));
  });

  it.each(['MultiClusterEngine', 'Placement'])(
    "the schemas of requests limit names to those of the CRD's %s",
    (kind) => {
      expect(
        at('components', 'schemas', kind, 'properties', 'metadata', 'allOf', '1', 'properties', 'name'),
      ).toMatchObject({ maxLength: MAX_OBJECT_NAME });
    },
  );

  it('the schemas of requests use only regular expressions that other languages read too', () => {
    expect(JSON.stringify(document)).not.toMatch(/"pattern":"[^"]*\(\?/);
  });

  it('a schema keeps each condition, choice and negation that is merged into it', () => {
    const when = (type: string, name: string): JsonSchema => ({ if: { const: type }, else: { required: [name] } });
    const merged = [when('a', 'x'), when('b', 'y'), when('b', 'z'), { not: { const: 1 } }, { not: { const: 2 } }];

    expect(merged.reduce(mergeSchemas, { anyOf: [{ minimum: 1 }] })).toEqual({
      anyOf: [{ minimum: 1 }],
      ...when('a', 'x'),
      not: { const: 1 },
      allOf: [when('b', 'y'), when('b', 'z'), { not: { const: 2 } }],
    });
    expect(mergeSchemas(when('a', 'x'), { if: { const: 'a' }, else: { minimum: 1 } })).toEqual({
      if: { const: 'a' },
      else: { required: ['x'], minimum: 1 },
    });
  });

  it('the schemas of requests are not made for a CEL rule without a counterpart', () => {
    const rules = (rule: string): object => ({ 'x-kubernetes-validations': [{ rule }] });

    expect(() => celKeywords({ ...rules("self != 'x'") })).toThrow(/no JSON Schema is known for the CEL rule/);
    expect(celKeywords({ ...rules('self == oldSelf') })).toEqual([]);
    expect(celKeywords({})).toEqual([]);
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
