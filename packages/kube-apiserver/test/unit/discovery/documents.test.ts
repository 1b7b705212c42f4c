import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AGGREGATED_TYPE, aggregatedCore, aggregatedGroups } from '../../../src/discovery/aggregated.js';
import { apiVersions, apiGroup, apiGroupList, apiResourceList } from '../../../src/discovery/unaggregated.js';
import { openApiDocument, openApiIndex } from '../../../src/discovery/openapi.js';
import { customResources } from '../../../src/registry/custom/resource.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource } from '../../../src/resource.js';
import { root } from '../../../testing/root.js';
import { FULLY_SERVED } from '../builtins/builtin.js';
import { digests, sorted } from './digest.js';
import { THING } from './thing.js';

/* Compares discovery and OpenAPI documents with those of kube-apiserver, for the kinds that are served here. */

const established = {
  ...THING,
  status: {
    conditions: [
      { type: 'Established', status: 'True' },
      { type: 'NamesAccepted', status: 'True' },
    ],
    acceptedNames: (THING['spec'] as JsonObject)['names'],
  },
} as KubeObject;
const things = customResources(established, []).map((resource) => ({ ...resource, storageVersion: 'v1' }));
const all: readonly Resource[] = [...FULLY_SERVED, ...things];
const registry = registryOf(all);
const groupVersions = [
  ...new Set(all.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`))),
];

function registryOf(resources: readonly Resource[]): Registry {
  return {
    all: () => resources,
    find: () => undefined,
    findKind: () => undefined,
    isBuiltinGroup: () => true,
    generation: 1,
  };
}

interface Entry {
  readonly name?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly metadata?: { readonly name?: string };
  readonly [key: string]: unknown;
}

function recorded(name: string): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(path.join(root, 'test/unit/discovery/recorded', `${name}.json`), 'utf8')) as Record<
    string,
    Record<string, unknown>
  >;
}

function entries(list: Record<string, unknown> | undefined, field: string): Entry[] {
  return (list?.[field] ?? []) as Entry[];
}

function parts(groupVersion: string): [group: string, version: string] {
  const [, first = '', second] = groupVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
}

function isServed(group: string, plural: string): boolean {
  return all.some((resource) => resource.group === group && resource.plural === plural);
}

describe('unaggregated discovery', () => {
  it.each(groupVersions)('unaggregated discovery of %s lists the same resources as kube-apiserver', (groupVersion) => {
    const [group, version] = parts(groupVersion);
    const { resources, ...rest } = recorded('legacy')[groupVersion] ?? {};
    const served = (resources as Entry[]).filter(
      ({ name = '' }) => isServed(group, name.split('/')[0] ?? '') && !name.endsWith('/proxy'),
    );

    expect(sorted(apiResourceList(registry, group, version))).toEqual(sorted({ ...rest, resources: served }));
  });

  it('unaggregated discovery lists groups in the order of kube-apiserver', () => {
    const groups = entries(recorded('legacy')['apis'], 'groups').filter(({ name }) =>
      all.some(({ group }) => group === name),
    );

    expect(apiGroupList(registry)).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups });
  });

  it('unaggregated discovery returns a single group', () => {
    expect(apiGroup(registry, 'o6.example.com')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'o6.example.com',
      preferredVersion: { groupVersion: 'o6.example.com/v1', version: 'v1' },
      versions: [
        { groupVersion: 'o6.example.com/v1', version: 'v1' },
        { groupVersion: 'o6.example.com/v1alpha1', version: 'v1alpha1' },
      ],
    });
  });

  it('unaggregated discovery has no groups, versions or resources that are not served', () => {
    expect([
      apiGroup(registry, 'batch'),
      apiResourceList(registry, 'apps', 'v2'),
      apiResourceList(registry, '', 'v2'),
      apiResourceList(registry, 'x', 'v1'),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('unaggregated discovery returns the address of the server', () => {
    const { serverAddressByClientCIDRs: _address, ...rest } = recorded('legacy')['api'] ?? {};

    expect(apiVersions('127.0.0.1:6443')).toEqual({
      ...rest,
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });
});

describe('aggregated discovery', () => {
  it('aggregated discovery of /api is that of kube-apiserver', () => {
    expect(aggregatedCore(registry)).toEqual(servedOf(recorded('aggregated')['api']));
  });

  it('aggregated discovery of /apis is that of kube-apiserver', () => {
    expect(aggregatedGroups(registry)).toEqual(servedOf(recorded('aggregated')['apis']));
  });

  it('aggregated discovery has the media type that clients compare as text', () => {
    expect(AGGREGATED_TYPE).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  });
});

/** The recorded list, restricted to what is served here. */
function servedOf(list: Record<string, unknown> | undefined): unknown {
  const items = entries(list, 'items').filter(({ metadata }) =>
    all.some(({ group }) => group === (metadata?.name ?? '')),
  );
  return {
    ...list,
    items: items.map((item) => ({
      ...item,
      versions: (item['versions'] as Entry[]).filter((one) => has(item, one)).map((one) => withServed(item, one)),
    })),
  };
}

function has({ metadata }: Entry, { version }: Entry): boolean {
  return all.some((resource) => resource.group === (metadata?.name ?? '') && resource.version === version);
}

function withServed({ metadata }: Entry, one: Entry): unknown {
  const resources = (one['resources'] as Entry[]).filter(({ resource = '' }) =>
    isServed(metadata?.name ?? '', resource),
  );
  return { ...one, resources: resources.map((resource) => withoutProxy(resource)) };
}

function withoutProxy({ subresources, ...rest }: Entry): unknown {
  return subresources === undefined
    ? rest
    : { ...rest, subresources: (subresources as Entry[]).filter(({ subresource }) => subresource !== 'proxy') };
}

describe('OpenAPI', () => {
  it.each(groupVersions)('the OpenAPI document of %s has the paths and schemas of kube-apiserver', (groupVersion) => {
    const [group, version] = parts(groupVersion);
    const { paths, schemas, ...rest } = digests(openApiDocument(registry, group, version)?.value ?? {});
    const real = recorded('openapi')[groupVersion] ?? {};
    const servedPaths = Object.entries(real['paths'] as object).filter(([one]) => isServedPath(group, one));

    expect(rest).toEqual({
      info: real['info'],
      openapi: real['openapi'],
      ...(real['securitySchemes'] === undefined ? {} : { securitySchemes: real['securitySchemes'] }),
    });
    expect(paths).toEqual(Object.fromEntries(servedPaths));
    expect(schemas).toEqual(known(schemas as object, real['schemas'] as object, groupVersion));
  });

  it('the OpenAPI index lists all documents with their hashes', () => {
    const { paths } = openApiIndex(registry) as { paths: Record<string, { serverRelativeURL: string }> };

    expect(Object.keys(paths)).toEqual([...groupVersions].sort());
    for (const [one, { serverRelativeURL }] of Object.entries(paths))
      expect(serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${one}\\?hash=[0-9A-F]{128}$`));
  });

  it('the hash of an OpenAPI document changes only with its content', () => {
    const before = openApiDocument(registry, 'apps', 'v1')?.hash;
    const other = registryOf(FULLY_SERVED.filter(({ plural }) => plural !== 'configmaps'));

    expect(openApiDocument(other, 'apps', 'v1')?.hash).toBe(before);
    expect(openApiDocument(other, '', 'v1')?.hash).not.toBe(openApiDocument(registry, '', 'v1')?.hash);
  });

  it('there is no OpenAPI document of a group that is not served', () => {
    expect(openApiDocument(registry, 'batch', 'v1')).toBeUndefined();
  });
});

function isServedPath(group: string, one: string): boolean {
  const below = one
    .split('/')
    .slice(group === '' ? 3 : 4)
    .filter((part) => part !== 'watch');
  const [first = '', second, third = ''] = below;
  const plural = first === 'namespaces' && second === '{namespace}' ? third : first;
  return plural === '' || (isServed(group, plural) && !one.includes('/proxy'));
}

/** The recorded schemas of the same names. DeleteOptions of custom resources lists all groups, of which there are fewer here. */
function known(ours: object, real: object, groupVersion: string): object {
  const options = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
  const own =
    groupVersion.includes('example.com') && Object.hasOwn(ours, options)
      ? { [options]: (ours as Record<string, unknown>)[options] }
      : {};
  return { ...Object.fromEntries(Object.entries(real).filter(([name]) => Object.hasOwn(ours, name))), ...own };
}

it('selectable fields are published in the order of the definition', () => {
  const text = (): string => '';
  const selecting = things.map((resource) => ({ ...resource, selectable: { 'spec.z': text, 'spec.a': text } }));
  const { group = '', version = '' } = selecting[0] ?? {};
  const shown = JSON.stringify(openApiDocument(registryOf(selecting), group, version)?.value);

  expect(shown).toContain('"x-kubernetes-selectable-fields":[{"fieldPath":"spec.z"},{"fieldPath":"spec.a"}]');
  expect(shown).not.toContain('[{"fieldPath":"spec.a"}');
});
