import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { DefaultReasons } from '../../src/api/placementreasons.js';
import * as resources from '../../src/api/resources.js';
import { readCrds, walk, type Crd, type Field } from '../../tools/crd.js';
import { root } from '../support/repository/root.js';

const crds = readCrds(root);

/** Short names of kinds that are often found on a hub: Open Cluster Management, Karmada, KubeFleet, Argo CD, Flux, OLM. */
const ELSEWHERE = new Set(
  [
    'mce mch mcl mcls mclset mclsets mclsetbinding mclsetbindings mca mcas cma cmas mw pl plc',
    'pp cpp op cop rb crb wk fhpa cronfhpa frq mcs mcing ric',
    'crp crpdb crpe rp',
    'app apps appset appsets appproj appprojs',
    'ks hr hc gitrepo helmrepo ocirepo',
    'csv csvs sub subs ip catsrc og',
  ].flatMap((names) => names.split(' ')),
);

/** Every field of a CRD with its path; the standard `metadata` is described by the server itself. */
function fieldsOf(crd: Crd): [string, Field][] {
  const fields: [string, Field][] = [[crd.kind, crd.schema]];
  walk(crd.schema, (at, field) => {
    if (at !== 'metadata') fields.push([`${crd.kind}.${at}`, field]);
  });
  return fields;
}

const fields = crds.flatMap(fieldsOf);

/** The schema below `path` of a CRD without what is only for people. */
function bare(kind: string, at: string): unknown {
  const field = fields.find(([name]) => name === `${kind}.${at}`)?.[1];
  if (field === undefined) throw new Error(`${kind}.${at} is not a field`);
  const text = JSON.stringify(field, (key: string, value: unknown) => (key === 'description' ? undefined : value));
  return JSON.parse(text);
}

/** Every map of the file, however deep, that carries `x-kubernetes-validations`. */
function rulesIn(value: unknown): Record<string, string>[] {
  if (Array.isArray(value)) return value.flatMap(rulesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === 'x-kubernetes-validations' ? child : rulesIn(child)));
}

describe('the CRDs', () => {
  it.each(fields)('the field %s has a description', (_name, field) => {
    expect(field.description).not.toBe('');
  });

  it.each(fields.filter(([name]) => name.includes('.')))(
    'the field %s names its default and an example',
    (_name, field) => {
      expect(field.description).toMatch(/Default: \S/);
      expect(field.description).toMatch(/Example: \S/);
    },
  );

  it.each(fields.filter(([, field]) => field.type === 'string' || field.type === 'integer'))(
    'the field %s names its valid values',
    (_name, field) => {
      expect(field.description).toMatch(/Valid: \S|^Never valid/);
    },
  );

  it.each(fields.filter(([, field]) => field.enumeration !== undefined))(
    'the field %s names every value of its list',
    (_name, field) => {
      const unnamed = (field.enumeration ?? []).filter(
        (value) => !field.description.includes(value === '' ? 'empty' : value),
      );

      expect(unnamed).toEqual([]);
    },
  );

  it.each(
    crds.flatMap((crd) =>
      crd.columns.map((column): [string, string] => [`${crd.kind} ${column.name}`, column.description]),
    ),
  )('the column %s has a description of its own', (_name, description) => {
    expect(description).toMatch(/\.$/);
  });

  it.each(crds.map((crd) => crd.file))('the CRD %s gives every CEL rule a message', (file) => {
    const rules = rulesIn(load(readFileSync(path.join(root, 'crds', `${file}.yaml`), 'utf8')));

    expect(rules.filter((rule) => (rule['message'] ?? '') === '')).toEqual([]);
  });

  it.each([
    ['Placement', 'status.conditions[]', 'MultiClusterEngine', 'status.conditions[]'],
    ['ManagedClusterSet', 'status.conditions[]', 'MultiClusterEngine', 'status.conditions[]'],
    ['ManagedClusterSetBinding', 'status.conditions[]', 'MultiClusterEngine', 'status.conditions[]'],
    [
      'ManagedClusterSet',
      'spec.clusterSelector.labelSelector',
      'Placement',
      'spec.predicates[].requiredClusterSelector.labelSelector',
    ],
  ])('the type of %s.%s is that of %s.%s', (kind, at, otherKind, otherAt) => {
    expect(bare(kind, at)).toEqual(bare(otherKind, otherAt));
  });

  it('the conditions of an engine have the fields of the shared condition', () => {
    const condition = fields.find(([name]) => name === 'MultiClusterEngine.status.conditions[]')?.[1];

    expect(condition?.required).toEqual([
      'type',
      'status',
      'reason',
      'message',
      'lastTransitionTime',
      'lastUpdateTime',
      'observedGeneration',
    ]);
    expect(Object.keys(condition?.properties ?? {})).toEqual(condition?.required);
  });

  it.each([
    [resources.MultiClusterEngines, ['mce']],
    [resources.Placements, ['fpl']],
    [resources.PlacementDecisions, ['fpd']],
    [resources.ManagedClusters, ['mcl', 'fmcl']],
    [resources.ManagedClusterSets, ['mclset', 'fmclset']],
    [resources.ManagedClusterSetBindings, ['mclsetbinding', 'fmclsetbinding']],
  ])('the CRD of $plural has the names and the scope that the code uses', (type, shortNames) => {
    const crd = crds.find((one) => one.kind === type.kind);

    expect(crd).toMatchObject({
      group: type.group,
      version: type.version,
      plural: type.plural,
      namespaced: type.namespaced,
      shortNames,
    });
  });

  it('no short name is that of another project, except those of the same kind in Open Cluster Management', () => {
    const names = crds.flatMap((crd) => crd.shortNames);

    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => ELSEWHERE.has(name)).sort()).toEqual(['mce', 'mcl', 'mclset', 'mclsetbinding']);
  });

  it('the status that a Placement has by default names the reason that is documented', () => {
    const text = readFileSync(path.join(root, 'crds', 'placement.yaml'), 'utf8');
    const status = text.slice(text.indexOf('\n            status:\n'));

    expect(new Set([...status.matchAll(/^ +reason: (\w+)$/gm)].map((match) => match[1]))).toEqual(
      new Set(Object.keys(DefaultReasons)),
    );
  });

  it.each(['claimSelector', 'labelSelector'])('each %s of a Placement has the same operators', (name) => {
    const fields = crds.filter(({ kind }) => kind === 'Placement').flatMap(fieldsOf);
    const operators = fields.filter(([at]) => at.endsWith(`.${name}.matchExpressions[].operator`));

    expect(operators.length).toBeGreaterThan(2);
    expect(new Set(operators.map(([, { description }]) => description)).size).toBe(1);
  });

  it('every kind but the decision has a status subresource', () => {
    expect(crds.filter((crd) => !crd.statusSubresource).map((crd) => crd.kind)).toEqual(['PlacementDecision']);
  });
});
