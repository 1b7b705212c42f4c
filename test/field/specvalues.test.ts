import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ManifestRules } from '../../src/answers/files/manifestfaults.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { Placements } from '../../src/api/resources.js';
import { readManifests } from '../../src/runtime/manifests.js';
import { asRecord, isRecord } from '../../src/runtime/vocabulary/json.js';
import { root } from '../support/repository/root.js';

/*
 * The API server took `key: "tier "` in an expression on labels, which it refuses in `matchLabels`, and the Placement was then
 * invalid: a pattern, or none, took what the parser refuses.
 * What is right: each value that the definition takes, in every field, the parser takes too. Not of expressions of CEL: their
 * syntax is no pattern.
 */

const VALUES: readonly unknown[] = [
  '',
  ' ',
  '\n',
  'a b',
  'é',
  '-',
  '.',
  '..',
  '/',
  'a/',
  '/a',
  'a//b',
  'a/b',
  'a/b/c',
  'A',
  'a_b',
  'a..b',
  'a-',
  '*',
  'a=b',
  '%',
  '5%',
  '101%',
  '05%',
  '-1',
  '1e309',
  '1Ei',
  '0x10',
  '5 ',
  'NaN',
  '100m',
  '1K',
  'v1',
  'v1.2',
  'v1.2.x',
  '* 24:00',
  'Mon 9:00',
  '169h',
  '168h1m',
  '0h',
  '1h60m',
  'Foo/Bar',
  'host:99999',
  '[::1]:5000',
  'http://h',
  'a'.repeat(63),
  'a'.repeat(64),
  `${'a'.repeat(253)}/b`,
  `${'a'.repeat(254)}/b`,
  '9'.repeat(400),
  0,
  -1,
  2147483648,
  1_000_000_000_000,
  1.5,
  true,
];

const SELECTOR = {
  matchLabels: { a: 'b' },
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'a', operator: 'Exists' },
  ],
};
const RANGE = { name: 'a', min: '1', max: '5' };
const PLACEMENT = {
  numberOfClusters: 3,
  ClusterSets: ['a'],
  predicates: [
    {
      requiredClusterSelector: {
        labelSelector: SELECTOR,
        claimSelector: {
          matchExpressions: [
            { key: 'a', operator: 'Gt', values: ['4'] },
            { key: 'a', operator: 'Lt', values: ['v1.30'] },
            { key: 'a', operator: 'In', values: ['x'] },
          ],
        },
      },
    },
  ],
  prioritizerPolicy: {
    mode: 'Exact',
    configurations: [
      { scoreCoordinate: { type: 'Claim', claim: RANGE }, weight: 1 },
      { scoreCoordinate: { type: 'Label', label: RANGE }, weight: 1 },
      { scoreCoordinate: { type: 'Selector', selector: { labelSelector: SELECTOR } }, weight: 1 },
    ],
  },
  spreadPolicy: {
    spreadConstraints: [
      { topologyKey: 'a', topologyKeyType: 'Label', maxSkew: 1, minDomains: 1, whenUnsatisfiable: 'DoNotSchedule' },
      { topologyKey: 'b', topologyKeyType: 'Claim', maxSkew: 1 },
    ],
  },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSelect', tolerationSeconds: 5 }],
  decisionDetails: { labels: ['a'], claims: ['b'] },
  decisionStrategy: {
    groupStrategy: {
      clustersPerDecisionGroup: '5%',
      decisionGroups: [{ groupName: 'a', groupClusterSelector: { labelSelector: SELECTOR } }],
    },
  },
  disruptionBudget: { maxRemovals: '5%', maxAdditions: 3, windowSeconds: 3600 },
  changeWindows: [{ start: 'Mon 09:00', duration: '8h', timeZone: 'Europe/Berlin' }],
};
type Path = readonly string[];

function leavesOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...at, key]));
}

/** A copy with another value at a path, or, for the last word of `keyOf`, under another key. */
function changed(value: unknown, [first, ...rest]: Path, to: unknown, isKey: boolean): unknown {
  if (first === undefined) return to;
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === first ? changed(one, rest, to, isKey) : one));
  if (!isRecord(value)) throw new Error(first);
  const { [first]: inner, ...others } = value;
  if (isKey && rest.length === 0) return { ...others, [String(to)]: inner };
  return { ...value, [first]: changed(inner, rest, to, isKey) };
}

let rules: ManifestRules;
beforeAll(() => {
  rules = new ManifestRules(readManifests(path.join(root, 'crds')));
});

describe('a value that the definition takes', () => {
  it('a value that the definition takes in any field of a Placement is taken by its parser', () => {
    const problemOf = (spec: unknown): unknown => compileSpec(spec).problem;
    const faultsOf = (given: unknown): readonly unknown[] => {
      const metadata = { name: 'a', namespace: 'b' };
      const object = { apiVersion: apiVersionOf(Placements), kind: Placements.kind, metadata, spec: given };
      return rules.ofObject(object);
    };
    const leaves = leavesOf(PLACEMENT);
    const keys = leaves.filter((one) => one.at(-2) === 'matchLabels');
    const all = [
      ...leaves.flatMap((at) => VALUES.map((to) => ({ at, to, isKey: false }))),
      ...keys.flatMap((at) => VALUES.map((to) => ({ at, to, isKey: true }))),
    ];

    expect([faultsOf(PLACEMENT), problemOf(PLACEMENT)]).toEqual([[], undefined]);
    const wrong = all.filter(({ at, to, isKey }) => {
      const [name = ''] = at;
      // One field at a time, beside the one that others need.
      const { numberOfClusters } = PLACEMENT;
      const given = changed({ numberOfClusters, [name]: asRecord(PLACEMENT)[name] }, at, to, isKey);
      return problemOf(given) !== undefined && faultsOf(given).length === 0;
    });
    expect(wrong.map(({ at, to }) => `${at.join('.')}: ${JSON.stringify(to)}`)).toEqual([]);
  });
});
