import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { DECISION_REVISION_ANNOTATION } from '../../src/api/names.js';
import { revisionOf } from '../../src/domain/placement/stored/decision.js';
import { PLACEMENTS, PLACEMENTS_APIS, startRig, type Rig } from './rig.js';
import { PLACEMENT, reply, type Script } from './upstream.js';

const PATH = `${PLACEMENTS}/web/decision`;
const PLUGIN = `${PATH}/api/v1/getparams.execute`;
const UP = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop';
const READS = [`${UP}/placements/web`, `${UP}/placementdecisions?labelSelector=cluster.fleetmgmt.io%2Fplacement%3Dweb`];
const JSON_TYPE = { 'content-type': 'application/json' };
const ARGOCD = { output: { parameters: [{ clusterName: 'eu-1', reason: '' }] } };

function storedAt(revision: string): object {
  return { ...PLACEMENT, status: { decisions: [{ name: 'web-decision-1', revision }] } };
}

function listOf(...clusters: readonly string[]): object {
  const metadata = { name: 'web-decision-1', annotations: { [DECISION_REVISION_ANNOTATION]: revisionOf(clusters) } };
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  return {
    kind: 'PlacementDecisionList',
    metadata: { resourceVersion: '9' },
    items: [{ metadata, status: { decisions } }],
  };
}

/** Answers with the Placement and the list of its objects. */
function stored(placement: object, list: object): Script {
  return ({ path }, socket) => void socket.write(reply(200, path.includes('placementdecisions') ? list : placement));
}

const whole = stored(storedAt(revisionOf(['eu-1'])), listOf('eu-1'));

let rig: Rig;
let strict: Rig;

beforeAll(async () => {
  [rig, strict] = await Promise.all([startRig(), startRig({ strict: true })]);
});
afterAll(async () => {
  await Promise.all([rig.stop(), strict.stop()]);
});
beforeEach(() => {
  for (const one of [rig, strict]) {
    one.upstream.script = whole;
    one.upstream.requests.length = 0;
  }
});

describe('the decision of a placement', () => {
  it.each([
    [
      '',
      { namespace: 'shop', placement: 'web', numberOfClusters: 1, decisions: [{ clusterName: 'eu-1', reason: '' }] },
    ],
    ['?as=argocd', ARGOCD],
    ['?as=flux', { inputs: [{ id: 'eu-1', clusterName: 'eu-1', reason: '' }] }],
    [
      '?as=prometheus',
      [{ targets: ['eu-1'], labels: expect.objectContaining({ __meta_multicluster_cluster: 'eu-1' }) }],
    ],
  ])('is answered from two reads with the token of the caller, with the query %j', async (query, expected) => {
    const answer = await rig.ask({ path: `${PATH}${query}` });

    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer.body)).toEqual(expected);
    expect(rig.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      READS.map((one) => `GET ${one}`),
    );
  });

  it('has a header where Flux Operator will not take it: the reader then keeps what it has, and a person sees why', async () => {
    const clusters = Array.from({ length: 6_500 }, (_, at) => `c${at}-`.padEnd(63, 'x'));
    rig.upstream.script = stored(storedAt(revisionOf(clusters)), listOf(...clusters));

    const [flux, json] = [await rig.ask({ path: `${PATH}?as=flux` }), await rig.ask({ path: PATH })];

    expect(flux.status).toBe(200);
    expect(flux.headers['warning']).toMatch(
      /^299 - "\d{6,} bytes: Flux Operator takes at most 921600, and keeps the inputs/,
    );
    expect(json.headers['warning']).toBeUndefined();
  });

  it('is answered in the same way with /apis, and as YAML when that is accepted', async () => {
    const answer = await rig.ask({ path: `${PLACEMENTS_APIS}/web/decision`, headers: { accept: 'application/yaml' } });

    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(load(answer.body)).toMatchObject({ decisions: [{ clusterName: 'eu-1' }] });
  });

  it('is answered to the plugin generator of Argo CD, whatever its parameters are, when the token is accepted', async () => {
    const body = JSON.stringify({ applicationSetName: 'web', input: { parameters: { placement: 'other' } } });
    const answer = await rig.ask({ method: 'POST', path: PLUGIN, headers: JSON_TYPE, body });

    expect(JSON.parse(answer.body)).toEqual(ARGOCD);
    expect(rig.upstream.requests.map(({ path }) => path)).toEqual(READS);
  });

  it('has an ETag that changes with the clusters, and not with the revision of an object', async () => {
    const tag = async (): Promise<unknown> => (await rig.ask({ path: PATH })).headers['etag'];
    const before = await tag();
    rig.upstream.script = stored(
      { ...storedAt(revisionOf(['eu-1'])), metadata: { name: 'web', resourceVersion: '99' } },
      listOf('eu-1'),
    );
    expect(await tag()).toBe(before);
    rig.upstream.script = stored(storedAt(revisionOf(['us-1'])), listOf('us-1'));
    expect(await tag()).not.toBe(before);
  });

  it('is read again while it is being written', async () => {
    let reads = 0;
    rig.upstream.script = (request, socket) => {
      reads += 1;
      (reads <= 2 ? stored(storedAt(revisionOf(['us-1'])), listOf('eu-1')) : whole)(request, socket);
    };

    expect(await rig.ask({ path: PATH })).toMatchObject({ status: 200 });
    expect(rig.upstream.requests).toHaveLength(4);
  });

  it.each<[string, Script]>([
    ['there is none yet', stored({ ...PLACEMENT, status: {} }, listOf())],
    ['its objects were deleted', stored(storedAt(revisionOf(['eu-1'])), { ...listOf(), items: [] })],
    ['it is being written all the time', stored(storedAt(revisionOf(['us-1'])), listOf('eu-1'))],
  ])('is 503 and never an empty list while %s', async (_title, script) => {
    rig.upstream.script = script;

    expect(await rig.ask({ path: `${PATH}?as=argocd` })).toMatchObject({
      status: 503,
      body: '',
      headers: { 'retry-after': '1' },
    });
    expect(rig.upstream.requests).toHaveLength(8);
  });

  it.each([
    [401, 403],
    [403, 403],
    [404, 404],
    [410, 500],
    [429, 503],
    [500, 500],
    [503, 503],
  ])('has the error of any other read: %d of the API server is %d', async (code, expected) => {
    for (const failing of READS) {
      rig.upstream.script = (request, socket) =>
        request.path === failing ? void socket.write(reply(code, { kind: 'Status' })) : whole(request, socket);
      expect((await rig.ask({ path: PATH })).status).toBe(expected);
      expect((await strict.ask({ path: PATH })).status).toBe(200);
    }
  });

  it.each(['{', '[]', '"text"'])('is 500 or 503 when the API server answers with %s', async (text) => {
    rig.upstream.script = (_request, socket) => void socket.write(reply(200, text));

    expect([500, 503]).toContain((await rig.ask({ path: PATH })).status);
  });
});

describe('a request for a decision that is not as its form has it', () => {
  it.each(['?as=', '?as=helm', '?as=argocd&as=flux', '?as=argocd&dryRun=All', '?', '?As=argocd', '?as=argo%63d'])(
    'is refused with the readers that there are: %s',
    async (query) => {
      const answer = await rig.ask({ path: `${PATH}${query}` });

      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({
        message: `the query "${query.slice(1)}" must be absent, or as= with one of argocd, flux, json, prometheus`,
      });
      expect((await strict.ask({ path: `${PATH}${query}` })).status).toBe(403);
    },
  );

  it.each<[string, object, number]>([
    ['a query on another path', { path: `${PLACEMENTS}/web?as=argocd` }, 400],
    [
      'a query of the plugin generator',
      { method: 'POST', path: `${PLUGIN}?as=argocd`, headers: JSON_TYPE, body: '{}' },
      400,
    ],
    ['a body of a GET', { path: PATH, body: '{}' }, 400],
    ['another method', { method: 'DELETE', path: PATH }, 405],
    ['a GET of the plugin generator', { path: PLUGIN }, 405],
    ['a condition', { path: PATH, headers: { 'if-none-match': '"x"' } }, 400],
    ['no token', { path: PATH, token: '' }, 403],
    ['a large body', { method: 'POST', path: PLUGIN, headers: JSON_TYPE, body: ' '.repeat(1024 * 1024 + 1) }, 413],
  ])('is refused before anything is read: %s', async (_title, ask, code) => {
    expect((await rig.ask({ path: PATH, ...ask })).status).toBe(code);
    expect(rig.upstream.requests).toEqual([]);
  });
});
