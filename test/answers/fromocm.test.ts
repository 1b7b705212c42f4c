import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { fromOcm } from '../../src/cli/commands/plan.js';
import { InputError } from '../../src/answers/output.js';
import { readFiles } from '../../src/answers/files/files.js';
import { readManifests } from '../../src/runtime/manifests.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { root } from '../support/repository/root.js';

const EXAMPLE = path.join(root, 'examples', 'ocm', 'open-cluster-management.yaml');
const OCM = 'cluster.open-cluster-management.io';
const placement = (spec: unknown): KubeObject & { spec: unknown } => {
  return { apiVersion: `${OCM}/v1beta1`, kind: 'Placement', metadata: { name: 'web', namespace: 'shop' }, spec };
};

describe('objects of Open Cluster Management', () => {
  it('plan --from-ocm prints what the example of the page has, and names the rest', async () => {
    const { text, errors } = await fromOcm(await readFiles([EXAMPLE]), 'text');
    const kinds = ['ManagedClusterSet', 'ManagedClusterSetBinding', 'Placement'];
    const written = readManifests(path.join(root, 'examples', 'ocm'));

    expect(loadAll(text)).toEqual(
      written.filter(
        ({ apiVersion, kind = '' }) => apiVersion?.startsWith('cluster.fleetmgmt.io/') === true && kinds.includes(kind),
      ),
    );
    expect(errors).toEqual([
      'ManagedCluster paris-1 is left out: kubectl mce cluster add lets it join here, or the adapter reads it where it is',
      'ManagedCluster nice-1 is left out: kubectl mce cluster add lets it join here, or the adapter reads it where it is',
      'ManagedCluster lyon-1 is left out: kubectl mce cluster add lets it join here, or the adapter reads it where it is',
      'Placement bakery/ovens: spec.predicates[0].requiredClusterSelector.claimSelector.matchExpressions[0].key: claim platform.open-cluster-management.io is platform.cluster.fleetmgmt.io here, which agents and the adapter publish; a cluster of which OCM says Other does not have it',
      'Placement bakery/ovens: spec.prioritizerPolicy: Balance is added: OCM adds it, and Steady, to a Placement without the field',
    ]);
  });

  it('the definition here accepts what each field becomes', async () => {
    const addOn = { resourceName: 'usage', scoreName: 'cpu' };
    const spec = {
      clusterSets: ['edge'],
      numberOfClusters: 3,
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchLabels: { region: 'eu' } },
            claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['AWS'] }] },
            celSelector: { celExpressions: ['managedCluster.metadata.name != "a"'] },
          },
        },
      ],
      tolerations: [{ key: `${OCM}/unreachable`, operator: 'Exists', tolerationSeconds: 300 }],
      prioritizerPolicy: {
        configurations: [
          { scoreCoordinate: { builtIn: 'ResourceAllocatableMemory' }, weight: -1 },
          { scoreCoordinate: { type: 'AddOn', addOn }, weight: 5 },
        ],
      },
      spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim', maxSkew: 2 }] },
    };
    const { text, errors, exitCode } = await fromOcm([placement(spec)], 'text');

    expect(exitCode).toBe(0);
    expect(text).toContain('name: score/usage/cpu\n');
    expect(errors.map((one) => one.split(': ')[1])).toEqual([
      'spec.predicates[0].requiredClusterSelector.celSelector',
      'spec.tolerations[0].key',
      'spec.tolerations[0].tolerationSeconds',
      'spec.prioritizerPolicy.configurations[0].scoreCoordinate',
      'spec.prioritizerPolicy.configurations[1].scoreCoordinate.addOn',
      'spec.prioritizerPolicy',
      'spec.spreadPolicy',
    ]);
  });

  it('plan --from-ocm knows each field of the spec that OCM publishes', async () => {
    const file = path.join(root, 'test', 'support', 'definitions', 'ocmplacements.yaml');
    const schema = at(load(readFileSync(file, 'utf8')), 'spec', 'versions', '0', 'schema', 'openAPIV3Schema');
    const spec = sampleOf(at(schema, 'properties', 'spec'));
    const { errors } = await fromOcm([placement(spec)], 'text');

    expect(spec).toHaveProperty('decisionStrategy.groupStrategy.decisionGroups.0.groupName');
    expect(errors.join('\n')).not.toContain('is no field of');
  });

  it('JSON is a list, as kubectl reads it', async () => {
    const { text } = await fromOcm([placement({ clusterSets: ['edge'] })], 'json');

    expect(JSON.parse(text)).toMatchObject({
      kind: 'List',
      items: [{ kind: 'Placement', spec: { ClusterSets: ['edge'] } }],
    });
  });

  it('every fault of an object is named', async () => {
    const faulty = placement({
      colour: 'red',
      predicates: [{ weather: 1 }],
      prioritizerPolicy: { configurations: [{ scoreCoordinate: { builtIn: 'Cheapest' } }] },
    });
    const { errors, exitCode } = await fromOcm([faulty, placement({ numberOfClusters: -1 })], 'text');

    expect(exitCode).toBe(1);
    expect(errors).toEqual([
      expect.stringMatching(
        /spec\.colour: is no field of .*; .*spec\.predicates\[0\]\.weather: .*; .*builtIn: "Cheapest" /,
      ),
      expect.stringMatching(/^Placement shop\/web is not carried over: as it would be here: spec\.numberOfClusters: /),
    ]);
  });

  it('an object of another group of Open Cluster Management is not said to belong to something else', async () => {
    const work = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'ManifestWork', metadata: { name: 'web' } };
    const { errors } = await fromOcm([work, placement({ clusterSets: ['edge'] })], 'text');

    expect(errors).toEqual([
      'ManifestWork web is left out: it is no Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster Management',
    ]);
  });

  it('files without an object of Open Cluster Management are an error', async () => {
    const result = fromOcm([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }], 'text');

    await expect(result).rejects.toThrow(InputError);
    await expect(result).rejects.toThrow('no Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster');
  });
});

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((one, name) => Object(one)[name], value);
}

/** A value with every field of a schema. */
function sampleOf(schema: unknown): unknown {
  const { properties, items, enum: values, type, pattern } = Object(schema);
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(Object(properties)).map(([key, one]) => [key, sampleOf(one)]));
  if (items !== undefined) return [sampleOf(items)];
  if (values !== undefined) return Object(values)[0];
  if (type === 'integer') return 1;
  // The only patterns with % are those of percentages.
  return type === 'object' ? { a: 'b' } : pattern?.includes('%') === true ? '25%' : 'a';
}
