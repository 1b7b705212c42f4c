import { request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { People } from '../../../src/console/hub/people.js';
import { NAMESPACE_HEADER } from '../../../src/console/wire/answer.js';
import type { RecordingLog } from '../../support/fakes/log.js';
import type { Timer } from '../../../src/runtime/clock.js';
import { CANARY, HOST, startTokenConsole, type MemoryApi } from '../../support/rigs/console/tokens.js';

/**
 * The console on a hub over plain sockets: who gets in, with which rights, and what is refused. Two persons have a token of the
 * hub: anna, an administrator, whose token is CANARY, and ben, whose token is `ben`. `api.refuses` takes rights away from them.
 */

const BYTES = Buffer.from('page');
const ASSET = { contentType: 'text/html', bytes: BYTES, brotli: BYTES, gzip: BYTES, isHashed: false };

interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ASSETS = { shell: ASSET, find: () => undefined, build: 'b' };
const clock = new ManualClock();
let api: MemoryApi;
let people: People;
let server: Server;
let log: RecordingLog;
/** All that was answered in a test. */
let seen: string;

beforeEach(async () => {
  seen = '';
  ({ api, log, people, server } = await startTokenConsole(ASSETS, clock));
});
afterEach(() => {
  people.close();
  server.closeAllConnections();
  server.close();
  // Whatever was answered or logged: the token is in none of it.
  expect(seen + JSON.stringify(log.lines)).not.toContain(CANARY);
});

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Sends a request with the headers of the page and those given. A header that is given as empty is not sent. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Reply> {
  const { port } = server.address() as AddressInfo;
  const own = {
    host: HOST,
    'sec-fetch-site': 'same-origin',
    ...(body && { 'content-type': 'application/json' }),
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== ''));
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/api/v1/${path}`, method, headers: given };
    const sent = request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        seen += text + JSON.stringify(response.headers);
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

type Headers = Readonly<Record<string, string>>;

function withToken(token: string, namespace = ''): Headers {
  return { authorization: `Bearer ${token}`, [NAMESPACE_HEADER]: namespace };
}

async function logIn(token: string, namespace = ''): Promise<Headers> {
  const headers = withToken(token, namespace);
  await ask('session', { headers });
  return headers;
}

describe('a session', () => {
  it('a session is opened by a token, names its user, sets no cookie, and is ended by DELETE', async () => {
    const headers = withToken(CANARY);
    const { code, headers: answered, text } = await ask('session', { headers });
    expect([code, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({ user: 'anna', context: HOST, namespace: 'default', by: 'token' }),
    ]);
    expect(answered['set-cookie']).toBeUndefined();
    // Of a name on the network alone: for localhost it would count for every port.
    expect(answered['strict-transport-security']).toBe('max-age=31536000');
    const local = await ask('session', { headers: { ...headers, host: 'localhost' } });
    expect([local.code, local.headers['strict-transport-security']]).toEqual([200, undefined]);
    await ask('session', { method: 'DELETE', headers });
    expect(people.size).toBe(0);
  });

  it('a token is forgotten a minute after its last use, and opens a session again', async () => {
    const headers = await logIn(CANARY);
    await clock.advance(90_000);
    expect(people.size).toBe(0);
    expect((await ask('fleet', { headers })).code).toBe(200);
  });

  it.each([
    ['no header', {}, 'log in with a token of the hub'],
    ['another kind of credential', { authorization: 'Basic YTpi' }, 'the token is empty'],
    ['two words', { authorization: 'Bearer a b' }, 'the token is empty'],
    ['16,001 characters', withToken('a'.repeat(16_001)), 'the token has more than 16000 characters'],
    ['a cookie', { cookie: `token=${CANARY}` }, 'log in with a token of the hub'],
  ])('%s opens no session', async (_what, headers, message) => {
    const { code, text } = await ask('fleet', { headers });
    expect([code, JSON.parse(text).message]).toEqual([401, message]);
  });

  it('an invalid name of a namespace is refused', async () => {
    expect((await ask('fleet', { headers: withToken(CANARY, '../x') })).code).toBe(400);
  });

  it('the answer to a refused token says why, and has the header WWW-Authenticate', async () => {
    const { code, headers, text } = await ask('session', { headers: withToken('wrong') });
    expect([code, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(JSON.parse(text).message).toContain('no JSON web token');
  });

  it('of a thousand wrong tokens from one address the API server is asked about ten, and an open session goes on', async () => {
    const headers = await logIn(CANARY);
    const before = api.calls.length;
    const replies: Reply[] = [];
    for (let batch = 0; batch < 10; batch++) {
      const tries = Array.from({ length: 100 }, (_, index) => withToken(`wrong-${batch}-${index}`));
      replies.push(...(await Promise.all(tries.map((headers) => ask('session', { headers })))));
    }
    expect(replies).toHaveLength(1_000);
    expect(api.calls.length - before).toBeLessThanOrEqual(10);
    expect(replies.find(({ code }) => code === 429)?.headers['retry-after']).toMatch(/^\d+$/);
    await clock.advance(90_000);
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask('session', { headers: withToken(`bad-${index}`) })));
    expect((await ask('fleet', { headers })).code).toBe(200);
  });
});

describe('the limits of plans', () => {
  it.each(['plan', 'pl%61n'])('a plan that is asked for at %s counts as one', async (path) => {
    const headers = await logIn(CANARY);
    const body = { manifests: '', labels: [], drains: [], losses: [], each: [] };
    const codes: number[] = [];
    // One after the other: more than one at once is refused by another limit.
    for (let n = 0; n < 31; n++) codes.push((await ask(path, { method: 'POST', headers, body })).code);
    expect([codes[0], codes.at(-1)]).toEqual([200, 429]);
  });
});

describe('who may ask', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['the page', {}, 200],
    ['the page, by a port that was forwarded', { host: 'localhost:8443', origin: 'https://localhost:8443' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://evil.console.example' }, 403],
    ['the page over plain HTTP', { origin: `http://${HOST}` }, 403],
    ['a tool without a token', { 'sec-fetch-site': '', authorization: '' }, 401],
    ['a tool with a token', { 'sec-fetch-site': '', authorization: 'Bearer ben' }, 200],
    [
      'another site through a proxy that adds a token',
      { 'sec-fetch-site': 'cross-site', authorization: 'Bearer ben' },
      403,
    ],
    ['a name that is not in the certificate', { host: 'console.evil' }, 421],
    ['no name', { host: ' ' }, 421],
    ['a port that there is not', { host: `${HOST}:99999` }, 421],
  ])('a request of %s is answered with its code', async (_who, headers, code) => {
    expect((await ask('fleet', { headers: { ...withToken(CANARY), ...headers } })).code).toBe(code);
  });
});

describe('rights', () => {
  it('each person sees what their token may list, whoever else has asked before', async () => {
    api.refuses.add('ben managedclusters');
    const [anna, ben] = [await logIn(CANARY), await logIn('ben')];
    const fleet = async (headers: Headers): Promise<unknown> => JSON.parse((await ask('fleet', { headers })).text);
    expect(await fleet(anna)).toMatchObject({ data: { total: 9 }, withheld: [] });
    expect(await fleet(ben)).toMatchObject({
      data: { total: 0 },
      withheld: [{ resource: 'managedclusters', status: 403 }],
    });
  });

  it('ten seconds after a right was taken away nothing is shown by it, and a revoked token opens no session', async () => {
    const headers = await logIn(CANARY);
    const total = async (): Promise<number> => JSON.parse((await ask('fleet', { headers })).text).data.total;
    expect(await total()).toBe(9);
    api.refuses.add('anna managedclusters');
    await clock.advance(10_001);
    expect(await total()).toBe(0);
    api.users.delete(CANARY);
    await clock.advance(10_001);
    expect((await ask('fleet', { headers })).code).toBe(401);
  });

  it('persons who may list everything share one reading, after the API server has confirmed this right for each token', async () => {
    const [anna, ben] = [await logIn(CANARY), await logIn('ben')];
    await ask('fleet', { headers: anna });
    const before = api.calls.length;
    const { text } = await ask('fleet', { headers: ben });
    expect(JSON.parse(text)).toMatchObject({ data: { total: 9 }, withheld: [] });
    const lists = api.calls.slice(before).filter((one) => one.includes(' list '));
    expect([lists.length, lists.every((one) => /^ben list .* limit=1$/.test(one))]).toEqual([6, true]);
  });

  it('persons who may list everything and ask at the same time wait for one reading', async () => {
    // From here on the API server answers a list only when all persons have asked.
    let [arrived, wanted] = [0, 0];
    server.on('request', () => (arrived += 1));
    const connect = api.connect.bind(api);
    api.connect = (token) => {
      const { call, ...rest } = connect(token);
      const late: typeof call = async (one) => {
        if (one.target.verb === 'list')
          await waitFor('the others', () => arrived >= wanted || undefined, { everyMs: 1 });
        return call(one);
      };
      return { ...rest, call: late };
    };
    const persons: Headers[] = [];
    for (let person = 0; person < 8; person++) {
      api.users.set(`person-${person}-person`, `person ${person}`);
      persons.push(await logIn(`person-${person}-person`));
    }
    const totals = (): Promise<readonly number[]> =>
      Promise.all(persons.map(async (headers) => JSON.parse((await ask('fleet', { headers })).text).data.total));
    await totals();
    await clock.advance(10_001);
    const before = api.calls.length;
    wanted = arrived + persons.length;
    expect(await totals()).toEqual(persons.map(() => 9));
    const lists = api.calls.slice(before).filter((one) => one.includes(' list ') && !one.endsWith(' limit=1'));
    expect(lists.map((one) => one.split(/ list |\./)[1] ?? '').toSorted()).toEqual([
      'managedclusters',
      'managedclustersetbindings',
      'managedclustersets',
      'multiclusterengines',
      'placementdecisions',
      'placements',
    ]);
  });

  it('ten seconds after a right was taken away from one person they see nothing by it, while others go on reading', async () => {
    const [anna, ben] = [await logIn(CANARY), await logIn('ben')];
    const total = async (headers: Headers): Promise<number> =>
      JSON.parse((await ask('fleet', { headers })).text).data.total;
    expect([await total(anna), await total(ben)]).toEqual([9, 9]);
    api.refuses.add('ben managedclusters');
    for (let second = 0; second < 10; second++) {
      await total(anna);
      await total(ben);
      await clock.advance(1_000);
    }
    await clock.advance(1);
    expect([await total(anna), await total(ben)]).toEqual([9, 0]);
  });

  it('without the API server nothing that was read before is shown for longer than ten seconds', async () => {
    const headers = await logIn(CANARY);
    expect((await ask('fleet', { headers })).code).toBe(200);
    api.isDown = true;
    await clock.advance(10_001);
    const { code, headers: answered } = await ask('fleet', { headers });
    expect([code, answered['retry-after']]).toEqual([503, '5']);
  });
});

/** A clock that goes 20 ms on each time that it is read, and on which a timeout of ten seconds is over at once. */
class PassingClock extends ManualClock {
  #reads = 0;

  override after(ms: number, fire: () => void): Timer {
    if (ms !== 10_000) return super.after(ms, fire);
    fire();
    return { cancel: () => undefined };
  }

  override monotonic(): number {
    return super.monotonic() + 20 * this.#reads++;
  }
}

describe('drafts', () => {
  const placements = (specs: readonly string[]): { manifests: string } => {
    const head = 'apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\n';
    const one = (spec: string, index: number): string =>
      `${head}metadata: {name: p${index}, namespace: shop}\nspec: ${spec}\n`;
    return { manifests: specs.map(one).join('---\n') };
  };
  const plan = async (headers: Headers, body: object): Promise<Reply> => ask('plan', { method: 'POST', body, headers });
  /** A spec with `count` predicates, each with `expressions` expressions, each with `values` values. */
  const predicates = (count: number, expressions: number, values: number): string => {
    const list = Array.from({ length: values }, (_, index) => `v${index}`).join();
    const all = Array.from(
      { length: expressions },
      (_, index) => `{key: k${index}, operator: NotIn, values: [${list}]}`,
    );
    const predicate = `{requiredClusterSelector: {labelSelector: {matchExpressions: [${all.join()}]}}}`;
    return `{predicates: [${Array.from({ length: count }, () => predicate).join()}]}`;
  };

  /** The same spec, with the list of values once and YAML aliases of it. */
  const aliased = (spec: string): string => {
    const [, values = ''] = /values: (\[[^\]]*\])/.exec(spec) ?? [];
    const [list, ...others] = spec.split(values);
    return [list, `&v ${values}`, others.join('*v')].join('');
  };

  it('a draft that takes long delays no other requests, and is given up after ten seconds', async () => {
    people.close();
    server.close();
    ({ api, log, people, server } = await startTokenConsole(ASSETS, new PassingClock()));
    const [anna, ben] = [await logIn(CANARY), await logIn('ben')];
    const planned = plan(anna, placements(Array.from({ length: 400 }, () => '{}')));
    for (let other = 0; other < 10; other++) expect((await ask('fleet', { headers: ben })).code).toBe(200);
    expect(JSON.parse((await planned).text).data.fault).toMatch(
      /^planning it takes longer than 10 s: .*kubectl mce plan/,
    );
    const next = JSON.parse((await plan(anna, placements(['{}']))).text).data;
    expect(next.totals).toContain('in 1 of 2 Placements');
  });

  it.each([
    ['64 predicates of 64 expressions of 256 values', predicates(64, 64, 256), 413, undefined],
    ['the same by aliases', aliased(predicates(64, 64, 256)), 200, 'excessive aliasing'],
    ['65 predicates', predicates(65, 1, 1), 200, 'spec.predicates: Too many'],
    ['65 expressions', predicates(1, 65, 1), 200, 'matchExpressions'],
    ['257 values', predicates(1, 1, 257), 200, 'values'],
  ])('%s are refused before anything is planned', async (_what, spec, code, fault) => {
    const reply = await plan(await logIn(CANARY), placements([spec]));
    expect(reply.code).toBe(code);
    if (fault !== undefined) expect(JSON.parse(reply.text).data.fault).toContain(fault);
  });
});
