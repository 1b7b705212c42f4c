import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { swaggerDocument } from '../../../src/discovery/swagger.js';
import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { customResources } from '../../../src/registry/custom/resource.js';
import type { Registry, Resource } from '../../../src/resource.js';
import { root } from '../../../testing/root.js';
import { FULLY_SERVED } from '../builtins/builtin.js';
import { digest } from './digest.js';
import { KEYWORDS_CRD } from './keywords.js';
import { THING } from './thing.js';

/* Compares the OpenAPI v2 document with that of kube-apiserver (`recorded/swagger.json`, by digests). */

type Digests = Readonly<Record<string, string>>;

const RECORDED = JSON.parse(readFileSync(path.join(root, 'test/unit/discovery/recorded/swagger.json'), 'utf8')) as {
  readonly paths: Digests;
  readonly definitions: Digests;
  readonly parameters: Digests;
  readonly [key: string]: unknown;
};
/** Definitions that list all API groups, of which this server has fewer. */
const DEFINITIONS_WITH_GROUPS = [
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent',
];

function established(definition: KubeObject): readonly Resource[] {
  const acceptedNames = (definition['spec'] as JsonObject)['names'];
  const conditions = [
    { type: 'Established', status: 'True' },
    { type: 'NamesAccepted', status: 'True' },
  ];
  return customResources({ ...definition, status: { conditions, acceptedNames } }, []);
}

function registryOf(resources: readonly Resource[], generation = 1): Registry {
  return {
    all: () => resources,
    find: () => undefined,
    findKind: () => undefined,
    isBuiltinGroup: () => true,
    generation,
  };
}

const CUSTOM = [KEYWORDS_CRD, THING].flatMap(established);
const document = swaggerDocument(registryOf([...FULLY_SERVED, ...CUSTOM])).value;

function digestsOf(part: Json | undefined, excluded: readonly string[] = []): Record<string, string> {
  const entries = Object.entries(isObject(part) ? part : {}).filter(([name]) => !excluded.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, digest(value)]));
}

function pick(recorded: Digests, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, recorded[name]]));
}

describe('OpenAPI v2', () => {
  it.each(['paths', 'definitions', 'parameters'] as const)(
    'the OpenAPI v2 document has the %s of kube-apiserver',
    (part) => {
      const found = digestsOf(document[part], DEFINITIONS_WITH_GROUPS);

      expect(Object.keys(found).length).toBeGreaterThan(15);
      expect(found).toEqual(pick(RECORDED[part], Object.keys(found)));
    },
  );

  it.each(
    FULLY_SERVED.filter(({ verbs }) => verbs.includes('list')).map(({ group, plural }) => [
      `${group === '' ? '/api' : `/apis/${group}`}/v1`,
      plural,
    ]),
  )('the OpenAPI v2 document has every path of %s %s', (base, plural) => {
    const pattern = new RegExp(`^${base}(/watch)?(/namespaces/\\{namespace\\})?/${plural}(/\\{name\\}.*)?$`);
    const real = Object.keys(RECORDED.paths).filter((name) => pattern.test(name) && !name.includes('/proxy'));

    expect(Object.keys(document['paths'] as JsonObject).filter((name) => pattern.test(name))).toEqual(real.sort());
  });

  it('the OpenAPI v2 document has the info and security of kube-apiserver', () => {
    const { paths: _paths, definitions: _definitions, parameters: _parameters, ...rest } = document;
    const { paths: _realPaths, definitions: _realDefinitions, parameters: _realParameters, ...real } = RECORDED;

    expect(rest).toEqual(real);
  });

  it('the OpenAPI v2 document is rebuilt only when the served resources change', () => {
    const registry = registryOf(FULLY_SERVED);

    expect(swaggerDocument(registry)).toBe(swaggerDocument(registry));
    expect(swaggerDocument(registryOf([...FULLY_SERVED, ...CUSTOM], 2)).hash).not.toBe(swaggerDocument(registry).hash);
  });
});
