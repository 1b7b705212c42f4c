import { describe, expect, it } from '@jest/globals';
import { unmetText } from '../../../../src/domain/placement/explain/requirementtext.js';
import { matches, unmet } from '../../../../src/domain/placement/select/rules.js';
import { clusterView } from '../../../../src/domain/placement/spec/cluster.js';
import { expressionProblem } from '../../../../src/domain/placement/spec/expression.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import type { ClusterView } from '../../../../src/domain/placement/spec/cluster.js';
import type { RawCluster } from '../../../../src/domain/clusters/fields.js';

const specOf = (...celExpressions: readonly unknown[]): object => ({
  predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
});
const resultOf = (text: string, cluster: ClusterView): string | undefined =>
  compileSpec(specOf(text)).predicates[0]?.expressions[0]?.expression.resultOf(cluster);
const PATH = 'spec.predicates[0].requiredClusterSelector.celSelector.celExpressions';

function clusterWith(labels: Record<string, string>, claims: Record<string, string> = {}): RawCluster {
  const clusterClaims = Object.entries(claims).map(([name, value]) => ({ name, value }));
  return { metadata: { name: 'a', labels, annotations: { owner: 'team-a' } }, status: { clusterClaims } };
}

const FULL: RawCluster = {
  ...clusterWith({ env: 'prod' }, { region: 'eu', 'cluster-name': 'published' }),
  status: {
    clusterClaims: [
      { name: 'region', value: 'eu' },
      { name: 'cluster-name', value: 'published' },
    ],
    version: { kubernetes: 'v1.30.2+k3s1' },
    capacity: { cpu: 8, memory: '32Gi' },
    allocatable: { cpu: '7500m', 'nvidia.com/gpu': '2' },
    nodes: { total: 3, ready: 2 },
  },
};

describe('an expression on a cluster', () => {
  it.each([
    ['managedCluster.metadata.name == "a" && managedCluster.metadata.annotations.owner == "team-a"', 'true'],
    ['managedCluster.metadata.labels.env in ["prod", "staging"]', 'true'],
    ['managedCluster.metadata.labels["region"] == "eu"', 'error: no such key: region'],
    ['has(managedCluster.metadata.labels.region)', 'false'],
    ['managedCluster.status.clusterClaims.map(c, c.name) == ["region"]', 'true'],
    ['semver(managedCluster.status.version.kubernetes, true).isLessThan(semver("1.31.0"))', 'true'],
    ['quantity(managedCluster.status.capacity.cpu).compareTo(quantity("8")) == 0', 'true'],
    ['managedCluster.status.allocatable["nvidia.com/gpu"] == "2"', 'true'],
    ['managedCluster.status.nodes.ready < managedCluster.status.nodes.total', 'true'],
    ['quantity(managedCluster.status.capacity.pods).isGreaterThan(quantity("1"))', 'error: no such key: pods'],
  ])('the expression %s gives %s', (text, result) => {
    expect(compileSpec(specOf(text)).problem).toBeUndefined();
    expect(resultOf(text, clusterView(FULL, 'all'))).toBe(result);
  });

  it('a published claim of the name of a fact is in no list and no field, also where the cluster lacks the fact', () => {
    const facts = { 'cluster-name': 'b', 'kubernetes-version': 'v9.0.0', 'nodes/ready': '9', 'capacity/cpu': '9' };
    const cluster = clusterView(clusterWith({}, { ...facts, region: 'eu' }), 'all');

    expect(resultOf('managedCluster.status.clusterClaims.map(c, c.name) == ["region"]', cluster)).toBe('true');
    expect(resultOf('managedCluster.metadata.name == "a"', cluster)).toBe('true');
    for (const field of ['version.kubernetes', 'nodes.ready', 'capacity.cpu'])
      expect(resultOf(`has(managedCluster.status.${field})`, cluster)).toBe('false');
  });

  it('an expression on a cluster that has reported nothing has empty maps, and no version and nodes', () => {
    const bare = clusterView({ metadata: { name: 'a' } }, 'all');

    expect(
      resultOf('managedCluster.status.clusterClaims.size() + managedCluster.status.capacity.size() == 0', bare),
    ).toBe('true');
    expect(resultOf('managedCluster.status.nodes.ready >= 1', bare)).toBe('error: no such key: ready');
    expect(resultOf('has(managedCluster.status.version.kubernetes)', bare)).toBe('false');
  });

  it('an expression that costs too much ends with an error, and its cluster does not match', () => {
    const ten = '[0,1,2,3,4,5,6,7,8,9]';
    const text = `${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, a + b + c + d >= 0))))`;
    const rules = compileSpec(specOf(text));

    expect(resultOf(text, clusterView(FULL, 'all'))).toBe('error: the cost is above the limit of 10000');
    expect(matches(rules, clusterView(FULL, 'all'))).toBe(false);
  });

  it('all expressions of a selector and its labels have to match, and each that does not is named with what it gives', () => {
    const labelSelector = { matchLabels: { env: 'prod' } };
    const celExpressions = ['managedCluster.metadata.name == "b"', 'managedCluster.metadata.labels.zone == "1"'];
    const rules = compileSpec({
      predicates: [{ requiredClusterSelector: { labelSelector, celSelector: { celExpressions } } }],
    });
    const [predicate] = rules.predicates;
    const found =
      predicate === undefined ? [] : unmet(predicate, clusterView(FULL, 'all')).map((one) => unmetText(one));

    expect(matches(rules, clusterView(FULL, 'all'))).toBe(false);
    expect(found).toEqual([
      'expression managedCluster.metadata.name == "b", wanted true, found false',
      'expression managedCluster.metadata.labels.zone == "1", wanted true, found error: no such key: zone',
    ]);
  });
});

describe('an expression that cannot be used', () => {
  it.each<[unknown, string]>([
    ['managedcluster.metadata.name == "a"', `undeclared reference to 'managedcluster' (column 1)`],
    ['managedCluster.metadata.nme == "a"', `undefined field 'nme' (column 24)`],
    ['managedCluster.status.conditions.size() > 0', `undefined field 'conditions' (column 22)`],
    [
      'managedCluster.metadata.name ==\n  1',
      `found no matching overload for '_==_' applied to '(string, int)' (line 1, column 30)`,
    ],
    ['managedCluster.metadata.name', 'must evaluate to a bool, and evaluates to string'],
    [' ', '" ": must be an expression'],
    [7, '7 is not a string'],
    ['a'.repeat(2_049), 'has 2049 characters: at most 2048 are allowed'],
  ])('the expression %j is misconfigured: %s', (text, message) => {
    expect(compileSpec(specOf('true', text)).problem).toEqual({ field: `${PATH}[1]`, message });
  });

  it('nine expressions are too many', () => {
    expect(compileSpec(specOf(...Array.from({ length: 9 }, () => 'true'))).problem?.message).toContain('at most 8');
  });

  it('the first expression of an unchecked spec that does not compile is found, with the same text, and nothing else', () => {
    const spec = specOf('true', 'managedcluster.x');

    expect(expressionProblem(spec)).toEqual(compileSpec(spec).problem);
    expect([undefined, 7, {}, { predicates: [7, {}] }, specOf(7, ' ')].map(expressionProblem)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});

/**
 * The tables of Open Cluster Management (pkg/placement/helpers/cel_test.go, and that of the evaluator before it). Not here: the
 * functions scores(), versionIsGreaterThan and quantityIsGreaterThan, which this project does not have. A missing label is an
 * error there, too; here explain shows it. A selection without a cluster cannot be asked for.
 */
describe('the expressions of Open Cluster Management', () => {
  const env = 'managedCluster.metadata.labels["env"] == "prod"';
  const region = 'managedCluster.metadata.labels["region"] == "us-east-1"';
  const label = `managedCluster.metadata.labels["version"].matches('^1\\.(14|15)\\.\\d+$')`;
  const claim = `managedCluster.status.clusterClaims.exists(c, c.name == "version" && c.value.matches('^1\\.(14|15)\\.\\d+$'))`;
  const cloud = 'managedCluster.metadata.labels["cloud"] == "Amazon"';
  const inRegion = 'managedCluster.status.clusterClaims.exists(c, c.name == "region" && c.value == "us-east-1")';
  const escaped = (text: string): string => text.replaceAll('\\', '\\\\');

  it.each<[string, readonly string[], RawCluster, boolean]>([
    ['valid expression matches', [env], clusterWith({ env: 'prod' }), true],
    ['valid expression no match', [env], clusterWith({ env: 'dev' }), false],
    ['multiple expressions all match', [env, region], clusterWith({ env: 'prod', region: 'us-east-1' }), true],
    ['multiple expressions one fails', [env, region], clusterWith({ env: 'prod', region: 'us-west-1' }), false],
    ['empty expressions', [], clusterWith({}), true],
    ['match with label', [escaped(label)], clusterWith({ version: '1.14.3' }), true],
    ['not match with label', [escaped(label)], clusterWith({ version: '1.16.3' }), false],
    ['match with claim', [escaped(claim)], clusterWith({}, { version: '1.14.3' }), true],
    ['not match with claim', [escaped(claim)], clusterWith({}, { version: '1.16.3' }), false],
    [
      'match with both label and claim',
      [cloud, inRegion],
      clusterWith({ cloud: 'Amazon' }, { region: 'us-east-1' }),
      true,
    ],
    ['no such key', [cloud, inRegion], clusterWith({ region: 'us-east-1' }, { cloud: 'Amazon' }), false],
  ])('the row "%s" has the same result', (_name, expressions, cluster, expected) => {
    const rules = compileSpec(specOf(...expressions));

    expect(rules.problem).toBeUndefined();
    expect(matches(rules, clusterView(cluster, 'all'))).toBe(expected);
  });

  it.each([
    ['invalid expression', 'invalid.expression', `undeclared reference to 'invalid'`],
    ['invalid labels expression', escaped(label).replace('matches', 'matchess'), `undeclared reference to 'matchess'`],
    ['a bracket is missing', inRegion.slice(0, -1), 'Syntax error'],
  ])('the row "%s" does not compile', (_name, text, message) => {
    expect(compileSpec(specOf(text)).problem?.message).toContain(message);
  });
});
