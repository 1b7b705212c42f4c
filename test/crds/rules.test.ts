import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';

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

describe('comparisons of claims', () => {
  const refusal = async (operator: string, values: readonly string[], selector: string): Promise<string> => {
    const matchExpressions = [{ key: 'cost', operator, values }];
    const spec = { predicates: [{ requiredClusterSelector: { [selector]: { matchExpressions } } }] };
    const { code, body } = await send(
      'POST',
      `${PLACEMENTS}?dryRun=All`,
      JSON.stringify({ ...OLD, metadata: { name: 'new' }, spec }),
    );
    return code === 201 ? '' : String(Object(Object(body).value).message);
  };

  it.each([
    ['Gt', ['v1.30.2'], ''],
    ['Le', ['-0.35'], ''],
    [
      'Ge',
      ['1, 5'],
      'value "1, 5" must be a version of two or three numbers (v1.30) or a quantity (4, 500m, 16Gi, 0.35)',
    ],
    ['Lt', ['1e-80'], ''],
    ['Lt', ['1e-805069125'], 'value "1e-805069125" must be a version of two or three numbers (v1.30) or a quantity'],
    ['Lt', ['v1.30.2-gke.100'], 'value "v1.30.2-gke.100" must be a version of two or three numbers (v1.30)'],
    ['Gt', ['1', '2'], 'values ["1"…] must have exactly one item with operator Gt'],
    ['Gt', [], 'values [] must have exactly one item with operator Gt'],
    ['Exists', ['1'], 'values ["1"…] must be empty with operator Exists'],
  ])('a claim selector with %s %j is accepted or refused by its rules', async (operator, values, message) => {
    const refused = await refusal(operator, values, 'claimSelector');

    expect(message === '' ? refused : refused.includes(message) || refused).toBe(message === '' ? '' : true);
  });

  it('a label selector with Gt is refused', async () => {
    expect(await refusal('Gt', ['1'], 'labelSelector')).toContain('Unsupported value: "Gt"');
  });
});
