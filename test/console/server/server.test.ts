import { request, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isLoopback } from '../../../src/runtime/http/host.js';
import { readAppliedText } from '../../../src/answers/files/files.js';
import { planChange } from '../../../src/cli/commands/plan.js';
import { fleetLosses, loseEach } from '../../../src/answers/plan/loseeach.js';
import type { PlannedPlacement } from '../../../src/answers/plan/document.js';
import type { CutPlacement } from '../../../src/console/wire/plan.js';
import type { Sessions } from '../../../src/console/server/session.js';
import { ROUTES } from '../../../src/console/server/routes.js';
import { startConsole, type MemoryHub } from '../../support/rigs/console/hub.js';
import { consoleEvents } from '../../support/rigs/console/worlds.js';
import { rawPlacement } from '../../support/builders/world.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

/** The server of the console over plain sockets, as a browser and as others ask it. The hub is the example fleet in memory. */

interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const EXAMPLE = rawPlacement(EXAMPLE_SPEC);
/** As the API server has it. */
const META = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const KIND = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement' };
const PLACEMENT = { ...KIND, ...EXAMPLE, metadata: { ...EXAMPLE.metadata, ...META } };

const BYTES = Buffer.from('<script src="/main.js">');
const ASSET = { contentType: 'text/html', bytes: BYTES, brotli: BYTES, gzip: BYTES, isHashed: false };
const clock = new ManualClock();
let sessions: Sessions;
let hub: MemoryHub;
let server: Server;
let port: number;
let key: string;

beforeAll(async () => {
  const assets = { shell: ASSET, find: () => undefined, build: 'b' };
  const world = exampleWorld(EXAMPLE_SPEC, { placements: [PLACEMENT] });
  ({ hub, server, port, sessions } = await startConsole(world, assets, clock));
  const opened = await ask('session', { method: 'POST', body: JSON.stringify({ code: sessions.code() }) });
  ({ key } = JSON.parse(opened.text));
});
afterAll(() => void server.close());

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As the page asks, beside what is given; an empty header is left out. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Reply> {
  const own = {
    'sec-fetch-site': 'same-origin',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...json(body),
  };
  return send(`/api/v1/${path}`, { method, headers: { ...own, ...headers }, ...(body === undefined ? {} : { body }) });
}

function given(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

function json(body: string | undefined): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function send(path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: given(headers) }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('who may ask', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['the page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the page in a browser without Sec-Fetch-Site', { 'sec-fetch-site': '', origin: 'http://127.0.0.1:PORT' }, 200],
    ['a tool without a browser', { 'sec-fetch-site': '' }, 200],
    ['a tool without a key', { 'sec-fetch-site': '', authorization: '' }, 401],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of this host', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }, 403],
    ['a typed address', { 'sec-fetch-site': 'none' }, 403],
    ['a site that says it is the same', { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' }, 403],
    ['a name that was pointed at this machine', { host: 'evil.example:PORT' }, 421],
    ['another port in Host', { host: '127.0.0.1:1' }, 421],
    ['localhost', { host: 'localhost:PORT' }, 200],
  ])('a request of %s is answered with its code', async (_who, headers, code) => {
    const own = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]);
    expect((await ask('fleet', { headers: Object.fromEntries(own) })).code).toBe(code);
  });

  it('without a session nothing is answered, and the page itself is', async () => {
    expect((await ask('fleet', { headers: { authorization: '' } })).code).toBe(401);
    expect((await ask('fleet', { headers: { authorization: `Bearer ${key}x` } })).code).toBe(401);
    expect((await ask('fleet', { headers: { authorization: '', cookie: `console=${key}` } })).code).toBe(401);
    expect((await send('/placements/shop/web')).text).toBe(BYTES.toString());
  });

  it.each([
    ['/mce', '/mce'],
    ['/mce/', '/mce'],
    ['/tools/mce', '/tools/mce'],
    ['', ''],
    ['//evil.example', ''],
    ['/a"><script src="//evil.example', ''],
    ['/mce, /other', ''],
  ])('behind a proxy that shows it below %j, the page has its files below %j', async (given, prefix) => {
    const headers = { 'x-forwarded-prefix': given };
    for (const path of ['/fleet', `${prefix}/fleet`, `${prefix}/`])
      expect((await send(path, { headers })).text).toBe(`<script src="${prefix}/main.js">`);
    expect((await send(`${prefix}/api/v1/nothing`, { headers })).code).toBe(401);
  });

  it('a form of another site cannot write: a body has to be JSON', async () => {
    const type = 'application/x-www-form-urlencoded';
    expect((await ask('plan', { method: 'POST', body: '{}', headers: { 'content-type': type } })).code).toBe(415);
  });

  it('a body that is too long is refused', async () => {
    expect((await ask('plan', { method: 'POST', body: ' '.repeat(300_000) })).code).toBe(413);
  });

  it('a link opens once, and not after ten minutes', async () => {
    const [first, late] = [sessions.code(), sessions.code()];
    const open = (code: string): Promise<Reply> => ask('session', { method: 'POST', body: JSON.stringify({ code }) });

    expect((await open(first)).code).toBe(200);
    expect((await open(first)).code).toBe(401);
    await clock.advance(601_000);
    expect((await open(late)).code).toBe(401);
  });

  it('the code of a link is traded for a key, which ends when the person logs out', async () => {
    const opened = await ask('session', { method: 'POST', body: JSON.stringify({ code: sessions.code() }) });
    const headers = { authorization: `Bearer ${JSON.parse(opened.text).key}` };
    expect(opened.headers['set-cookie']).toBeUndefined();
    expect((await ask('fleet', { headers })).code).toBe(200);
    await ask('session', { method: 'DELETE', headers });
    expect((await ask('fleet', { headers })).code).toBe(401);
  });

  it('every response has the policy that keeps scripts, frames and other origins out', async () => {
    for (const { headers } of [await send('/'), await ask('fleet'), await ask('nothing')]) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'none'; trusted-types 'none'; require-trusted-types-for 'script'",
      );
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['localhost', true],
    ['[::1]', true],
    ['', false],
    ['0.0.0.0', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
  ])('the host %s is of this machine alone: %s', (host, isOwn) => {
    expect(isLoopback(host)).toBe(isOwn);
  });
});

describe('answers', () => {
  it.each([
    ['fleet?q=health:noAgent', { total: 9, matched: 9 }],
    ['fleet/map?group=label:tier', { matched: 9, groups: expect.any(Array) }],
    ['placements', { total: 1, rows: [expect.objectContaining({ namespace: 'shop', name: 'web' })] }],
    ['placements/shop/web', { selected: 3, funnel: expect.any(Array) }],
    ['placements/shop/web/matrix?show=in', { totals: { in: 3, near: 4, out: 6, all: 9 } }],
    ['placements/shop/web/matrix?show=in&q=edge', { totals: { in: 1, near: 3, out: 3, all: 4 } }],
    ['clusters/prod-us-1', { selectedBy: [expect.objectContaining({ placement: 'web', rank: 3 })] }],
    [
      'engine',
      { engines: [], sets: expect.arrayContaining([expect.objectContaining({ selector: 'label tier=edge' })]) },
    ],
    ['sets/production', { clusters: 5, bindings: [{ namespace: 'shop', name: 'production' }] }],
  ])('%s is answered from one reading', async (path, data) => {
    const { code, text } = await ask(path);
    expect([code, JSON.parse(text).data]).toEqual([200, expect.objectContaining(data)]);
  });

  it('the rank of a cluster is the same on its page and in the matrix of the Placement', async () => {
    const { rows } = JSON.parse((await ask('placements/shop/web/matrix?show=all')).text).data;
    const ranked = rows.filter(({ verdict }: Record<string, unknown>) => verdict !== 'NotMatched');
    expect(ranked.map(({ rank }: Record<string, unknown>) => rank)).toEqual([1, 2, 3, 4, 5]);
    for (const { name, rank, verdict } of ranked) {
      const { selectedBy, matchedBy } = JSON.parse((await ask(`clusters/${name}`)).text).data;
      expect([...selectedBy, ...matchedBy]).toEqual([expect.objectContaining({ placement: 'web', verdict, rank })]);
    }
  });

  it.each(
    ROUTES.filter(({ method, path: [first] }) => method === 'GET' && first !== 'plan').map(({ path }) =>
      path.join('/'),
    ),
  )('GET %s is answered', async (template) => {
    const names = {
      clusters: ['prod-us-1'],
      sets: ['production'],
      placements: ['shop', 'web', 'prod-us-1'],
      yaml: template.endsWith('*/*/*') ? ['placements', 'shop', 'web'] : ['managedclusters', 'prod-us-1'],
    };
    const [kind] = template.split('/');
    const given = [...(Object.entries(names).find(([one]) => one === kind)?.[1] ?? [])];
    expect((await ask(template.replaceAll('*', () => given.shift() ?? ''))).code).toBe(200);
  });

  it.each([
    ['fleet?limit=501', 400],
    ['fleet?sort=odd', 400],
    ['fleet/map?group=odd', 400],
    ['plan/none/placements/shop/web/%2B', 404],
    ['placements/shop/none', 404],
    ['placements/shop/web/why/none', 404],
    ['clusters/none', 404],
    ['sets/none', 404],
    ['yaml/secrets/shop/web', 404],
    ['yaml/placements/web', 404],
    ['nothing', 404],
  ])('%s is an error with the code %s', async (path, code) => {
    const reply = await ask(path);
    expect([reply.code, JSON.parse(reply.text)]).toEqual([code, expect.objectContaining({ kind: 'Status', code })]);
  });

  it('what has not changed is not sent again, and its time is', async () => {
    const first = await ask('placements');
    const again = await ask('placements', { headers: { 'if-none-match': String(first.headers.etag) } });
    expect([again.code, again.text, again.headers['as-of']]).toEqual([304, '', expect.stringMatching(/Z$/)]);
  });

  it('the events are filtered and counted before a part of them is sent', async () => {
    hub.events = consoleEvents();
    const events = async (query: string): Promise<unknown> => JSON.parse((await ask(`events?${query}`)).text).data;
    expect(await events('limit=2')).toMatchObject({ total: 3, rows: [{ reason: 'DecisionChanged' }, {}] });
    expect(await events('type=Warning')).toMatchObject({ total: 1, rows: [{ reason: 'PlacementUnsatisfied' }] });
    expect(await events('q=decisionc&limit=1&after=1')).toMatchObject({ total: 2, rows: [{ type: 'Normal' }] });
    expect(await events('q=nothing')).toEqual({ total: 0, rows: [] });
    hub.events = [];
  });

  it('a cluster says of which Placements it lacks one requirement', async () => {
    const { matchedBy, missedBy } = JSON.parse((await ask('clusters/prod-ap-2')).text).data;
    expect([matchedBy, missedBy]).toEqual([
      [],
      [expect.objectContaining({ placement: 'web', verdict: 'NotMatched', why: expect.stringContaining('wanted') })],
    ]);
  });

  it('an answer is compressed for a reader who takes that', async () => {
    const headers = { 'accept-encoding': 'gzip, br' };
    expect((await ask('placements/shop/web/matrix?show=all', { headers })).headers['content-encoding']).toBe('gzip');
    expect((await ask('reading', { headers })).headers['content-encoding']).toBeUndefined();
  });

  it('a change of the hub is in the next answer, a second after the last reading', async () => {
    const matched = async (): Promise<number> => JSON.parse((await ask('fleet')).text).data.total;
    const { world } = hub;
    const before = await matched();
    hub.world = { ...world, objects: { ...world.objects, managedclusters: world.objects.managedclusters.slice(1) } };
    expect(await matched()).toBe(before);
    await clock.advance(1_001);
    expect(await matched()).toBe(before - 1);
    hub.world = world;
    await clock.advance(1_001);
  });

  it('a hub that hangs is shown as it was, and after four seconds as one that does not answer', async () => {
    const fleet = async (): Promise<unknown> => {
      const asked = ask('fleet');
      await waitFor('the answer to wait', () => clock.pending > 0 || undefined);
      await clock.advance(1_000);
      return JSON.parse((await asked).text);
    };
    await ask('fleet');
    let answer = (): void => undefined;
    const hang = new Promise<void>((resolve) => (answer = resolve));
    hub.delay = () => hang;
    await clock.advance(1_001);
    expect(await fleet()).not.toHaveProperty('stale');
    await clock.advance(3_000);
    expect(await fleet()).toMatchObject({ stale: 'the hub does not answer', data: { total: 9 } });
    hub.delay = undefined;
    answer();
    await clock.advance(1_001);
    expect(JSON.parse((await ask('fleet')).text)).not.toHaveProperty('stale');
  });

  it('a plan says what a draft does, and a draft that is wrong says where', async () => {
    const draft = (spec: string): string =>
      `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: web, namespace: shop}\nspec: ${spec}\n`;
    const plan = async (manifests: string): Promise<unknown> =>
      JSON.parse((await ask('plan', { method: 'POST', body: JSON.stringify({ manifests }) })).text).data;

    expect(await plan(draft('{numberOfClusters: 1}'))).toMatchObject({
      placements: [{ name: 'web', stay: 1, lists: [{ sign: '−', total: 2 }] }],
    });
    expect(await plan(draft('{numberOfClusters: -1}'))).toMatchObject({
      fault: expect.stringContaining('spec.numberOfClusters'),
    });
    expect(await plan('a: [')).toMatchObject({ fault: expect.stringContaining('draft'), line: 1 });
  });

  it('a plan says what applying it writes, each object once', async () => {
    const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
      JSON.parse((await ask(path, { method: 'POST', body: JSON.stringify(body) })).text).data;
    const web = (spec: string, name = 'web'): string =>
      `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`;
    const same = web(JSON.stringify(EXAMPLE_SPEC));
    const plan = (draft: object): Promise<Record<string, unknown>> => post('plan', { manifests: '', ...draft });

    expect(await plan({ manifests: same })).toMatchObject({ writes: [] });
    const labels = ['prod-us-1:tier=silver', 'prod-us-1:team=a', 'prod-eu-1:tier-'];
    const draft = { manifests: `${same}---\n${web('{}', 'new')}`, labels, drains: [], losses: [], each: [] };
    const writes = ['Placement shop/new', 'ManagedCluster prod-us-1', 'ManagedCluster prod-eu-1'];
    const planned = await plan(draft);
    expect(planned).toMatchObject({ writes });
    expect(await plan({ drains: ['prod-us-1'] })).toMatchObject({
      notApplied: expect.stringContaining('page of the cluster'),
    });
    expect(await plan({ manifests: `${web('{paused: true}')}---\n${web('{paused: true}')}` })).toMatchObject({
      writes: ['Placement shop/web'],
    });

    // One write for each object, and none of what is so already. The last one is refused: after its dry run, and for good.
    let patches = 0;
    hub.allows = (verb) => verb !== 'patch' || ++patches < 4;
    expect(await post('apply', { draft, basedOn: planned['basedOn'], dryRun: false })).toMatchObject({
      kind: 'refused',
      object: 'ManagedCluster prod-eu-1',
      written: writes.slice(0, 2),
    });
    expect(hub.written).toEqual([
      'create placements.cluster.fleetmgmt.io new',
      'patch managedclusters.cluster.fleetmgmt.io prod-us-1',
    ]);
    hub.allows = () => true;
  });

  it.each([
    ['a field that is left out stays', '{numberOfClusters: 1}', false],
    ['a field that was applied last is removed', '{numberOfClusters: 1}', true],
    ['a field that is null is removed', '{numberOfClusters: 1, predicates: null}', false],
    ['an empty spec changes nothing', '{}', false],
  ])('a manifest is applied as plan -f says it: %s', async (what, spec, isApplied) => {
    const { world } = hub;
    const [live] = world.objects.placements;
    const last = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: EXAMPLE_SPEC }) };
    const metadata = { ...PLACEMENT.metadata, resourceVersion: what, ...(isApplied && { annotations: last }) };
    hub.world = { ...world, objects: { ...world.objects, placements: [{ ...PLACEMENT, ...live, metadata }] } };
    await clock.advance(1_001);
    const text = `${JSON.stringify({ ...KIND, metadata: { name: 'web', namespace: 'shop' } }).slice(0, -1)}, spec: ${spec}}`;
    const { objects: manifests, ...applied } = await readAppliedText(text, 'draft');
    const request = { namespace: 'shop', complete: false, labels: [], deletions: [], colored: false };
    const printed = planChange(
      { world: hub.world, namespace: undefined, refused: [] },
      { ...request, ...applied, manifests, output: 'json' },
    );
    const { data } = JSON.parse(
      (await ask('plan', { method: 'POST', body: JSON.stringify({ manifests: text }) })).text,
    );
    const { summary, placements } = JSON.parse(printed.text);
    expect(`Plan: ${data.totals}`).toBe(summary.text);
    const states = ({ before, after, apart }: Record<string, unknown>): object => ({ before, after, apart });
    expect(data.placements.map(states)).toEqual(placements.map(states));
    const names = data.placements.flatMap(({ lists }: Pick<CutPlacement, 'lists'>) =>
      lists.flatMap(({ sign, rows }) => rows.map(({ name }) => `${sign} ${name}`)),
    );
    const named = ({ add, remove, held }: PlannedPlacement): readonly string[] =>
      [...remove.map(({ name }) => `− ${name}`), ...held.map(({ name }) => `held ${name}`)].concat(
        add.map(({ name }) => `+ ${name}`),
      );
    expect(names).toEqual(placements.flatMap(named));
    const isKept = !isApplied && !spec.includes('null');
    expect(data.replaced[0].kept.includes('spec.predicates')).toBe(isKept);
    hub.world = world;
    await clock.advance(1_001);
  });

  it('the loss of each value of a key is what the command prints, as a table of heat', async () => {
    const plan = async (draft: object): Promise<unknown> =>
      JSON.parse((await ask('plan', { method: 'POST', body: JSON.stringify({ manifests: '', ...draft }) })).text).data;

    const reading = { world: hub.world, namespace: undefined, refused: [] };
    const { text } = loseEach(reading, 'label/tier', { output: 'text', colored: false });
    const { values } = fleetLosses(reading, 'label/tier', {});
    const heat = {
      key: 'label/tier',
      columns: values.map(({ value, clusters }) => ({ value, clusters, target: `label/tier=${value}` })),
      rows: [{ namespace: 'shop', name: 'web' }],
    };
    const alone = await plan({ each: ['label/tier'] });
    expect(alone).toMatchObject({ lossOfEach: heat, placements: [] });
    const { notes } = (alone as { lossOfEach: { notes: readonly string[] } }).lossOfEach;
    expect(notes.length).toBeGreaterThan(0);
    for (const note of notes) expect(text).toContain(note);
    // Nothing is changed: there is one summary, that of the table.
    expect(alone).not.toHaveProperty('totals');
    expect(await plan({ each: ['label/tier'], labels: ['prod-us-1:a=b'] })).toHaveProperty('totals');
    // The changes of the draft count as made.
    expect(await plan({ each: ['label/tier'], labels: ['prod-us-1:tier-'] })).not.toMatchObject({ lossOfEach: heat });
    expect(await plan({ each: ['tier'] })).toEqual({ fault: '--lose-each must be claim/KEY or label/KEY, got "tier"' });
    expect(await plan({ each: ['label/none'] })).toMatchObject({ fault: expect.stringContaining('label none') });
    expect(await plan({ each: ['label/tier', 'label/x'] })).toMatchObject({
      fault: expect.stringContaining('label/x'),
    });
    expect(await plan({ each: ['label/tier'], losses: ['mcl/prod-us-1'] })).toMatchObject({
      fault: expect.stringContaining('two plans'),
    });
  });

  it('what may not be read is named, and the rest is answered', async () => {
    hub.allows = (_verb, plural) => plural !== 'managedclusters';
    await clock.advance(60_000);
    const { text } = await ask('placements/shop/web');
    expect(JSON.parse(text)).toMatchObject({
      withheld: [{ resource: 'managedclusters', verb: 'list', status: 403 }],
      data: { selected: 3, funnel: [{ step: 'in', count: 3 }] },
    });

    // Of one namespace alone, and without decisions: what the status says of them, and no step into them.
    hub.allows = (_verb, plural, namespace) =>
      (namespace === 'shop' || ['managedclusters', 'managedclustersets'].includes(plural)) &&
      plural !== 'placementdecisions';
    await clock.advance(60_000);
    const { withheld, namespace, data } = JSON.parse((await ask('placements/shop/web')).text);
    const named = withheld.map(({ resource, except = '' }: Record<string, string>) => `${resource} ${except}`);
    expect([named.sort(), namespace]).toEqual([
      ['managedclustersetbindings shop', 'multiclusterengines ', 'placementdecisions ', 'placements shop'],
      'shop',
    ]);
    expect([data.selected, data.funnel.map(({ step }: Record<string, string>) => step)]).toEqual([
      0,
      ['fleet', 'bound', 'sets', 'match', 'taints'],
    ]);
    hub.allows = () => true;
    await clock.advance(60_000);
  });

  it('of what may not be read, nobody says that it does not exist', async () => {
    const answers = async (): Promise<readonly (readonly [number, string])[]> => {
      await clock.advance(60_000);
      const addresses = [
        'clusters/prod-us-1',
        'placements/shop/web/why/none',
        'placements/other/web',
        'placements/shop/none',
        'sets/none',
        'yaml/managedclusters/prod-us-1',
        'yaml/placements/other/web',
      ];
      const replies = await Promise.all(addresses.map((path) => ask(path)));
      return replies.map(({ code, text }) => [code, JSON.parse(text).message ?? '']);
    };
    expect(await answers()).toEqual([
      [200, ''],
      [404, 'ManagedCluster none was not found'],
      [404, 'Placement other/web was not found'],
      [404, 'Placement shop/none was not found'],
      [404, 'ManagedClusterSet none was not found'],
      [200, ''],
      [404, 'Placement other/web was not found'],
    ]);
    // Why a cluster is not in a decision is not known without the sets: not that there is no such cluster.
    hub.unserved.add('managedclustersets');
    expect((await answers()).slice(0, 5)).toEqual([
      [200, ''],
      [200, ''],
      [404, 'Placement other/web was not found'],
      [404, 'Placement shop/none was not found'],
      [424, expect.stringMatching(/^the hub does not serve managedclustersets: .* not known; to help: kubectl apply /)],
    ]);
    hub.unserved.clear();
    hub.allows = (_verb, plural, namespace) => plural !== 'managedclusters' && namespace === 'shop';
    expect(await answers()).toEqual([
      [403, 'needs list managedclusters: whether there is ManagedCluster prod-us-1 is not known'],
      // It is not in the decision, and more is not known.
      [200, ''],
      [403, 'only namespace shop is read: whether there is Placement other/web is not known'],
      [404, 'Placement shop/none was not found'],
      [403, 'needs list managedclustersets: whether there is ManagedClusterSet none is not known'],
      [403, 'needs list managedclusters: whether there is ManagedCluster prod-us-1 is not known'],
      [403, 'only namespace shop is read: whether there is Placement other/web is not known'],
    ]);
    hub.allows = () => false;
    expect((await answers()).map(([code, message]) => [code, message.split(':', 1).join()])).toEqual([
      [403, 'needs list managedclusters'],
      [403, 'needs list managedclusters'],
      [403, 'only namespace shop is read'],
      [403, 'needs list placements'],
      [403, 'needs list managedclustersets'],
      [403, 'needs list managedclusters'],
      [403, 'only namespace shop is read'],
    ]);
    hub.allows = () => true;
    await clock.advance(60_000);
  });

  it('of what is not there, it says what was meant', async () => {
    const meantBy = async (path: string): Promise<unknown> => JSON.parse((await ask(path)).text).meant;
    const web = { kind: 'placement', namespace: 'shop', name: 'web' };
    expect(await meantBy('placements/other/web')).toMatchObject([web]);
    expect(await meantBy('placements/shop/wbe')).toMatchObject([web]);
    expect(await meantBy('clusters/prdo-us-1')).toMatchObject([{ kind: 'cluster', name: 'prod-us-1' }]);
    expect(await meantBy('sets/none')).toBeUndefined();
  });

  it('nobody asks: the hub is not read', async () => {
    const before = hub.lists;
    await clock.advance(3_600_000);
    expect(hub.lists).toBe(before);
  });
});
