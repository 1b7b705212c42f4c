import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aggregatedCore } from '../../../src/discovery/aggregated.js';
import { apiResourceList } from '../../../src/discovery/unaggregated.js';
import { openApiDocument } from '../../../src/discovery/openapi.js';
import type { JsonObject } from '@multicluster-engine/values/json';
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

/** The paths that kube-apiserver documents for connections to containers. */
const CONNECTIONS = /\/pods\/\{name\}\/(attach|binding|exec|log|portforward|proxy)/;

describe('Pods', () => {
  it('discovery lists Pods like kube-apiserver', () => {
    expect(pods(apiResourceList(registry, '', 'v1'))).toEqual(pods(recorded('legacy')['api/v1']));
  });

  it('aggregated discovery lists Pods like kube-apiserver', () => {
    const [mine, real] = [aggregatedCore(registry), recorded('aggregated')['api']].map(aggregatedPods);
    expect(mine).toEqual(real);
  });

  it('OpenAPI has the schemas of Pods of kube-apiserver', () => {
    const schemas = digests(document)['schemas'] as Record<string, unknown>;
    const real = recorded('openapi')['api/v1']?.['schemas'] as Record<string, unknown>;
    const named = Object.keys(schemas).filter((name) => name.startsWith('io.k8s.api.core.v1.Pod'));

    expect(named).toEqual(expect.arrayContaining(['io.k8s.api.core.v1.Pod', 'io.k8s.api.core.v1.PodStatus']));
    expect(named.map((name) => schemas[name])).toEqual(named.map((name) => real[name]));
  });

  it('OpenAPI has the paths of Pods of kube-apiserver, but for connections to containers', () => {
    const [mine, real] = [digests(document), recorded('openapi')['api/v1']].map((one) => {
      const paths = one?.['paths'] as Record<string, unknown>;
      return Object.fromEntries(
        Object.entries(paths).filter(([at]) => /\/pods(\/|$)/.test(at) && !CONNECTIONS.test(at)),
      );
    });
    expect(Object.keys(mine ?? {})).toHaveLength(10);
    expect(mine).toEqual(real);
  });
});
