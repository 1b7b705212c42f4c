import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aggregatedCore } from '../../../src/discovery/aggregated.js';
import { apiResourceList } from '../../../src/discovery/unaggregated.js';
import { openApiDocument } from '../../../src/discovery/openapi.js';
import type { JsonObject } from '../../../src/json.js';
import type { Registry } from '../../../src/resource.js';
import { root } from '../../../testing/root.js';
import { BUILTINS } from '../builtins/builtin.js';
import { digests } from './digest.js';

const registry: Registry = {
  all: () => BUILTINS,
  find: () => undefined,
  findKind: () => undefined,
  isBuiltinGroup: () => true,
  generation: 1,
};
const document = openApiDocument(registry, '', 'v1')?.value ?? {};

function recorded(name: string): Record<string, JsonObject> {
  return JSON.parse(readFileSync(path.join(root, 'test/unit/discovery/recorded', `${name}.json`), 'utf8'));
}

function pods(list: unknown): readonly JsonObject[] {
  const { resources } = list as { readonly resources: readonly JsonObject[] };
  return resources.filter(({ name }) => typeof name === 'string' && name.split('/')[0] === 'pods');
}

function aggregatedPods(list: unknown): JsonObject | undefined {
  const { items } = list as {
    readonly items: readonly { readonly versions: readonly { readonly resources: readonly JsonObject[] }[] }[];
  };
  return items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods');
}

const SUBRESOURCES = ['ephemeralcontainers', 'resize', 'status'].map(
  (name) => `/api/v1/namespaces/{namespace}/pods/{name}/${name}`,
);

describe('Pods', () => {
  it('discovery lists Pods like kube-apiserver, with the verbs for reading and deleting only', () => {
    const [real, ...subresources] = pods(recorded('legacy')['api/v1']);
    expect(pods(apiResourceList(registry, '', 'v1'))).toEqual([
      { ...real, verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] },
      ...subresources,
    ]);
  });

  it('aggregated discovery lists the subresources of Pods like kube-apiserver', () => {
    const [mine, real] = [aggregatedCore(registry), recorded('aggregated')['api']].map(aggregatedPods);
    expect(mine?.['subresources']).toEqual(real?.['subresources']);
  });

  it('OpenAPI has the schemas of Pods of kube-apiserver, and no operation that creates one', () => {
    const schemas = digests(document)['schemas'] as Record<string, unknown>;
    const real = recorded('openapi')['api/v1']?.['schemas'] as Record<string, unknown>;
    const named = Object.keys(schemas).filter((name) => name.startsWith('io.k8s.api.core.v1.Pod'));
    const paths = document['paths'] as Record<string, JsonObject>;
    const changed = Object.keys(paths)
      .filter((one) => /\/pods(\/|$)/.test(one))
      .map((one) => [one, Object.keys(paths[one] ?? {}).filter((key) => !['get', 'parameters'].includes(key))]);

    expect(named).toEqual(expect.arrayContaining(['io.k8s.api.core.v1.Pod', 'io.k8s.api.core.v1.PodStatus']));
    expect(named.map((name) => schemas[name])).toEqual(named.map((name) => real[name]));
    expect(changed.filter(([, methods]) => methods?.length !== 0)).toEqual([
      ['/api/v1/namespaces/{namespace}/pods', ['delete']],
      ['/api/v1/namespaces/{namespace}/pods/{name}', ['delete']],
      ...SUBRESOURCES.map((one) => [one, ['put', 'patch']]),
    ]);
  });

  it('OpenAPI has the paths of Pod subresources of kube-apiserver', () => {
    const [mine, real] = [digests(document), recorded('openapi')['api/v1']].map(
      (one) => one?.['paths'] as Record<string, unknown>,
    );
    expect(SUBRESOURCES.map((one) => mine?.[one])).toEqual(SUBRESOURCES.map((one) => real?.[one]));
  });
});
