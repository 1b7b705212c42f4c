import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';

import { readChangeTimes } from '../../src/domain/placement/spec/changewindows.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { CauseReason } from '@multicluster-engine/values/schema/fielderror';
import { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { systemClock } from '../../src/runtime/clock.js';
import { root } from '../support/repository/root.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PLACEMENTS = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements';
const OLD = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', metadata: { name: 'old' } };
const files = readdirSync(path.join(root, 'crds'));

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ listen: { host: '127.0.0.1', port: 0 }, clock: systemClock, controllers: false });
});
afterAll(() => server.close());

interface Answer {
  readonly code: number;
  readonly body: unknown;
}

async function send(method: string, target: string, body: string | Buffer, type = 'application/yaml'): Promise<Answer> {
  const { code, body: answer } = await server.dispatch({
    method,
    target,
    headers: { 'content-type': type },
    body: Buffer.from(body),
    user: { name: 'admin', groups: ['system:masters'] },
    signal: new AbortController().signal,
  });
  return { code, body: answer };
}

describe('an API server that compiles and prices the rules of a definition', () => {
  it.each(files)('an API server that compiles and prices the rules of a definition accepts %s', async (file) => {
    const { code, body } = await send('POST', DEFINITIONS, readFileSync(path.join(root, 'crds', file)));

    expect([code, code === 201 ? '' : body]).toEqual([201, '']);
  });
});

describe('a Placement that was stored before the rules of matchLabels', () => {
  const merge = (target: string, patch: unknown): Promise<Answer> =>
    send('PATCH', target, JSON.stringify(patch), 'application/merge-patch+json');
  const spec = (value: string): unknown => ({
    predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: value } } } }],
  });

  it('a Placement that was stored before the rules of matchLabels can be changed but for its predicates', async () => {
    const definition = `${DEFINITIONS}/placements.cluster.fleetmgmt.io`;
    const text = readFileSync(path.join(root, 'crds', 'placement.yaml'), 'utf8');
    const versions = (source: string): unknown => ({ spec: Object(load(source)).spec });
    const without = text.replaceAll('rule: "self.all(k, ', 'rule: "true || self.all(k, ');
    expect(without).not.toBe(text);

    const codes = [
      await merge(definition, versions(without)),
      await send('POST', PLACEMENTS, JSON.stringify({ ...OLD, spec: spec('a b') })),
      await merge(definition, versions(text)),
      await merge(`${PLACEMENTS}/old/status`, { status: { phase: 'Misconfigured' } }),
      await merge(`${PLACEMENTS}/old`, { spec: { numberOfClusters: 1 } }),
      await merge(`${PLACEMENTS}/old`, { spec: spec('c d') }),
      await merge(`${PLACEMENTS}/old`, { spec: spec('c') }),
    ].map(({ code }) => code);

    expect(codes).toEqual([200, 201, 200, 200, 200, 422, 200]);
  });
});

describe('taints and tolerations', () => {
  const CLUSTERS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
  const [apiVersion, name] = [OLD.apiVersion, 'edge-1'];
  const post = async (target: string, object: object): Promise<string> => {
    const { code, body } = await send('POST', target, JSON.stringify({ apiVersion, metadata: { name }, ...object }));
    return code === 201 ? '' : String(Object(Object(body).value).message);
  };
  const taint = (one: object): Promise<string> =>
    post(`${CLUSTERS}?dryRun=All`, { kind: 'ManagedCluster', spec: { taints: [one] } });
  const toleration = (one: object): Promise<string> =>
    post(`${PLACEMENTS}?dryRun=All`, { kind: 'Placement', spec: { tolerations: [one] } });

  it.each([
    [{ key: 'example.com/maintenance', value: 'disks', effect: 'NoSelect', timeAdded: '2026-01-02T03:04:05Z' }, ''],
    [{ key: 'no key', effect: 'NoSelect' }, 'a taint key must be a qualified name, such as maintenance or example.com'],
    [{ key: 'maintenance', effect: 'NoExecute' }, 'spec.taints[0].effect: Unsupported value: "NoExecute"'],
    [{ key: 'maintenance' }, 'spec.taints[0].effect: Required value'],
    [
      { key: 'maintenance', effect: 'NoSelect', timeAdded: ['2026-01-02T03:04:05Z'] },
      'evaluating rule: must be a time by RFC 3339, such as "2026-01-02T03:04:05Z"',
    ],
  ])('a ManagedCluster with the taint %j is accepted or refused by its rules', async (one, message) => {
    const refused = await taint(one);

    expect(message === '' ? refused : refused.includes(message) || refused).toBe(message === '' ? '' : true);
  });

  it.each([
    [{ operator: 'Exists' }, ''],
    [{ key: 'maintenance', value: 'disks', tolerationSeconds: -(2 ** 53) }, ''],
    [{ value: 'disks' }, 'spec.tolerations[0].key: Invalid value'],
    [{ value: 'disks' }, 'an empty key needs operator Exists'],
    [{ key: 'maintenance', operator: 'Exists', value: 'disks' }, 'value "disks" must be empty with operator Exists'],
    [{ key: 'maintenance', tolerationSeconds: 2 ** 53 + 2 }, 'spec.tolerations[0].tolerationSeconds'],
  ])('a Placement with the toleration %j is accepted or refused by its rules', async (one, message) => {
    const refused = await toleration(one);

    expect(message === '' ? refused : refused.includes(message) || refused).toBe(message === '' ? '' : true);
  });
});

describe('the times of a ManagedClusterSet', () => {
  const SETS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclustersets';
  const window = (change: object): object => ({
    changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin', ...change }],
  });

  it.each<[spec: object, parts: readonly string[]]>([
    [{}, []],
    [{ paused: true, ...window({ start: '* 00:00', duration: '168h' }) }, []],
    [{ paused: false, changeWindows: [] }, []],
    [{ paused: 'yes' }, ['spec.paused', 'must be of type boolean']],
    [window({ start: 'Monday 22:00' }), ['spec.changeWindows[0].start', '"Monday 22:00"', 'must be a weekday']],
    [window({ start: 'Mon 24:00' }), ['spec.changeWindows[0].start', '"Mon 24:00"', 'from 00:00 to 23:59']],
    [window({ duration: '0h' }), ['spec.changeWindows[0].duration', '"0h"', 'from 1m to 168h']],
    [window({ timeZone: '+01:00' }), ['spec.changeWindows[0].timeZone', '"+01:00"', 'of the IANA database']],
    [window({ timeZone: 'Europe/Berln' }), ['spec.changeWindows[0].timeZone', 'Europe/Berln']],
    [{ changeWindows: Array.from({ length: 17 }, () => ({})) }, ['spec.changeWindows', '17', '16']],
    [{ changeWindows: [{ start: 'Mon 22:00' }] }, ['spec.changeWindows[0].duration: Required value']],
  ])('%j are accepted, or refused with the field, the value and the rule, and read alike', async (spec, parts) => {
    const body = { apiVersion: OLD.apiVersion, kind: 'ManagedClusterSet', metadata: { name: 'new' }, spec };
    const { code, body: answer } = await send('POST', `${SETS}?dryRun=All`, JSON.stringify(body));
    const message = code === 201 ? '' : String(Object(Object(answer).value).message);

    expect(code).toBe(parts.length === 0 ? 201 : 422);
    for (const part of parts) expect(message).toContain(part);
    const { problem } = readChangeTimes(spec) ?? {};
    expect(problem?.field ?? '').toBe(parts.length === 0 ? '' : parts[0]?.split(':')[0]);
  });
});

describe('bad input of the fields that schedule', () => {
  const claim = (operator: string, values: readonly string[]): object => ({
    predicates: [
      { requiredClusterSelector: { claimSelector: { matchExpressions: [{ key: 'cost', operator, values }] } } },
    ],
  });
  const scored = (scoreCoordinate: object): object => ({
    prioritizerPolicy: { configurations: [{ scoreCoordinate }] },
  });
  const spread = (...constraints: object[]): object => {
    const spreadConstraints = constraints.map((one) => ({ topologyKey: 'region', topologyKeyType: 'Claim', ...one }));
    return { numberOfClusters: 2, spreadPolicy: { spreadConstraints } };
  };
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);
  const window = (change: object): object => ({
    changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin', ...change }],
  });
  const expressions = (text: string): object => ({
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [text] } } }],
  });
  const details = (decisionDetails: object): object => ({ decisionDetails });
  const groups = (...names: string[]): object => ({
    decisionStrategy: { groupStrategy: { decisionGroups: names.map((groupName) => ({ groupName })) } },
  });
  const admitted = async (spec: object): Promise<string> => {
    const body = JSON.stringify({ ...OLD, metadata: { name: 'new' }, spec });
    const { code, body: answer } = await send('POST', `${PLACEMENTS}?dryRun=All`, body);
    return code === 201 ? '' : String(Object(Object(answer).value).message);
  };
  const definition = readFileSync(path.join(root, 'crds', 'placement.yaml'), 'utf8');
  const gateway = new FieldRules([definition]);
  const [VALUES, COORDINATE] = [
    'spec.predicates[0].requiredClusterSelector.claimSelector.matchExpressions[0].values',
    'spec.prioritizerPolicy.configurations[0].scoreCoordinate',
  ];
  const CONSTRAINT = 'spec.spreadPolicy.spreadConstraints';
  const QUANTITY = 'must be a quantity, such as 4, 500m, 16Gi or 0.35, with at most two digits in an exponent';
  const BOUND = 'must be a version of two or three numbers (v1.30) or a quantity (4, 500m, 16Gi, 0.35) with operator';

  it.each([
    claim('Gt', ['v1.30.2']),
    claim('Le', ['-0.35']),
    claim('Lt', ['1e-80']),
    claim('Le', ['1e9999']),
    claim('Ge', ['9'.repeat(400)]),
    claim('Lt', ['v1.9007199254740993']),
    scored({ type: 'Claim', claim: { name: 'cost', min: '-.5E99', max: '1.5e99' } }),
    spread({}, { topologyKeyType: 'Label' }),
    spread({ topologyKey: 'bad key!' }),
    window({}),
    details({ labels: ['region', 'example.com/tier'], claims: ['nodes/ready', 'any name'] }),
    expressions(' true '),
  ])('%j is accepted', async (spec) => {
    expect([await admitted(spec), compileSpec(spec).problem]).toEqual(['', undefined]);
  });

  it.each<[spec: object, field: string, value: string, rule: string]>([
    [claim('Lt', ['1e-805069125']), VALUES, '"1e-805069125"', BOUND],
    ...['1e309', '1e320', '.9E+309'].map((max): [object, string, string, string] => [
      scored({ type: 'Claim', claim: { name: 'cost', min: '0', max } }),
      `${COORDINATE}.claim.max`,
      `"${max}"`,
      QUANTITY,
    ]),
    [
      scored({ type: 'Label', label: { name: 'cost', min: '-1e309', max: '0' } }),
      `${COORDINATE}.label.min`,
      '"-1e309"',
      QUANTITY,
    ],
    [claim('Ge', ['1, 5']), VALUES, '"1, 5"', BOUND],
    [claim('Lt', ['v1.30.2-gke.100']), VALUES, '"v1.30.2-gke.100"', BOUND],
    [claim('Gt', ['1', '2']), VALUES, '["1", "2"]', 'must have exactly one item with operator Gt'],
    [claim('Gt', ['1', '2', '3']), VALUES, '["1", "2", …]', 'must have exactly one item with operator Gt'],
    [claim('Gt', []), VALUES, '[]', 'must have exactly one item with operator Gt'],
    [claim('Exists', ['1']), VALUES, '["1"…]', 'must be empty with operator Exists'],
    [scored({ type: 'Claim' }), `${COORDINATE}.claim`, '', 'is missing: type Claim needs it'],
    [
      scored({ type: 'BuiltIn', builtIn: 'Balance', label: { name: 'tier' } }),
      `${COORDINATE}.label`,
      'label "tier"',
      'must be absent with type BuiltIn',
    ],
    [
      scored({ type: 'Claim', claim: { name: 'cost', min: '2', max: '1' } }),
      `${COORDINATE}.claim.max`,
      '"1"',
      'max must be greater than min',
    ],
    [
      spread({ topologyKeyType: 'Label', topologyKey: 'bad key!' }),
      `${CONSTRAINT}[0].topologyKey`,
      '"bad key!"',
      'a label key',
    ],
    [spread({}, { maxSkew: 2 }), `${CONSTRAINT}[1]`, '{"topologyKey":"region","topologyKeyType":"Claim"}', ''],
    [spread({ minDomains: 2 }), `${CONSTRAINT}[0].minDomains`, 'minDomains', 'needs whenUnsatisfiable: DoNotSchedule'],
    [
      { spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim' }] } },
      'spec.spreadPolicy',
      '',
      'needs a number of clusters: set spec.numberOfClusters, or numberOfClusters of every predicate',
    ],
    [
      { predicates: [{ numberOfClusters: 1 }, {}] },
      'spec.predicates',
      '[0] has numberOfClusters, and another one has none',
      'either every predicate has numberOfClusters or none has',
    ],
    [groups('canary', 'canary'), 'spec.decisionStrategy.groupStrategy.decisionGroups[1]', '"canary"', ''],
    [
      groups('a b'),
      'spec.decisionStrategy.groupStrategy.decisionGroups[0].groupName',
      '"a b"',
      'must be 1 to 63 letters',
    ],
    [
      window({ start: 'Monday 22:00' }),
      'spec.changeWindows[0].start',
      '"Monday 22:00"',
      'must be a weekday (Mon to Sun)',
    ],
    [window({ duration: 'four long hours in the night' }), 'spec.changeWindows[0].duration', '"four', 'must be hours'],
    [
      window({ timeZone: '+01:00' }),
      'spec.changeWindows[0].timeZone',
      '"+01:00"',
      'must be a time zone of the IANA database',
    ],
    [details({ labels: ['region', 'bad key!'] }), 'spec.decisionDetails.labels[1]', '"bad key!"', 'a label key'],
    [details({ labels: numbered(9), claims: numbered(8) }), 'spec.decisionDetails', '', 'at most 16'],
    [expressions(' '), `${VALUES.split('.claim')[0]}.celSelector.celExpressions[0]`, '" "', 'must be an expression'],
  ])('%j is refused with field, value and rule, by admission and by who reads it', async (spec, field, value, rule) => {
    const refused = await admitted(spec);
    const { field: at = '', message = '' } = compileSpec(spec).problem ?? {};

    expect(refused).toContain(`${field}: `);
    expect(refused).toContain(value);
    expect(refused).toContain(rule);
    expect([at.startsWith(field), message]).toEqual([true, expect.stringContaining(rule)]);
  });

  it.each<[spec: object, field: string, reason: CauseReason, message: string]>([
    [
      spread({ maxSkew: 0 }),
      `${CONSTRAINT}[0].maxSkew`,
      'FieldValueInvalid',
      'the number 0: must be a whole number from 1 to 2147483647',
    ],
    [
      { rebalance: { scoreMargin: -1 } },
      'spec.rebalance.scoreMargin',
      'FieldValueInvalid',
      'the number -1: must be a number from 0 to 2147483647',
    ],
    [spread(), 'spec.spreadPolicy', 'FieldValueRequired', 'needs a number of clusters'],
    [spread({}), `${CONSTRAINT}[0].topologyKey`, 'FieldValueRequired', 'must be set'],
    [
      scored({ builtIn: 'Steady' }),
      `${COORDINATE}.builtIn`,
      'FieldValueInvalid',
      '"Steady": "Steady" is not a coordinate',
    ],
  ])('the gateway says of %j, at %s with %s: %s', (spec, field, reason, message) => {
    expect(gateway.describe('Placement', { field, reason }, { spec } as JsonObject).message).toContain(message);
  });

  it('each rule of bounds is named once by the gateway', () => {
    const object = { spec: claim('Gt', ['cheap']) } as JsonObject;
    const { message } = gateway.describe('Placement', { field: VALUES, reason: 'FieldValueInvalid' }, object);

    expect(message.split(BOUND).length).toBe(2);
  });

  it('a label selector with Gt is refused', async () => {
    const labelSelector = { matchExpressions: [{ key: 'cost', operator: 'Gt', values: ['1'] }] };

    expect(await admitted({ predicates: [{ requiredClusterSelector: { labelSelector } }] })).toContain(
      'Unsupported value: "Gt"',
    );
  });
});
