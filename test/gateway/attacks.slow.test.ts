import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AIMS, CREDENTIALS, EVERYWHERE, request, type Aim, type Attack } from './attacks.js';
import { WITH_BODY, WITH_BODY_REFUSED, WITHOUT_BODY, WITHOUT_BODY_REFUSED } from './bodyattacks.js';
import { CANARY } from './client.js';
import { PLACEMENTS, startRig, outputOf, type Rig } from './rig.js';
import { PLACEMENT, reply } from './upstream.js';
import { sendRaw } from './rawclient.js';

const AT_A_TIME = 64;
const TOKEN_REVIEW =
  'POST /apis/authentication.k8s.io/v1/selfsubjectreviews {"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype).sort().join();

interface Try {
  readonly attack: Attack;
  readonly aim: Aim;
  readonly credentials: readonly string[];
}

function tries(attacks: readonly Attack[], aims: readonly Aim[], credentials: readonly (readonly string[])[]): Try[] {
  return attacks.flatMap((attack) =>
    aims.flatMap((aim) => credentials.map((lines) => ({ attack, aim, credentials: lines }))),
  );
}

const REFUSED: readonly Try[] = [
  ...tries(EVERYWHERE, AIMS, [CREDENTIALS[0] ?? []]),
  ...tries(
    EVERYWHERE.filter(({ name }) => !/^S[123] /.test(name)),
    AIMS.filter((_aim, index) => index % 4 === 0),
    CREDENTIALS.slice(1),
  ),
  ...tries(WITH_BODY_REFUSED, WITH_BODY, [[]]),
  ...tries(WITHOUT_BODY_REFUSED, WITHOUT_BODY, [[]]),
];

/** One line for each request with an unexpected response. */
async function sendAll(rig: Rig, all: readonly Try[], strict: boolean): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const fault = await send(rig, next, strict).catch((error: unknown) => String(error));
      if (fault !== undefined)
        wrong.push(
          `${next.attack.name} at ${next.aim.method} ${next.aim.path} (${next.credentials.length} credentials): ${fault}`,
        );
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return wrong;
}

async function send(rig: Rig, { attack, aim, credentials }: Try, strict: boolean): Promise<string | undefined> {
  const { codes, bodiless = false } = attack;
  const deadline = codes.length === 0 ? { deadlineMs: 200 } : {};
  const { replies } = await sendRaw(attack.forge(aim, credentials), { ...rig.wire, bodiless, strict, ...deadline });
  const got = replies.map((one) => one.status);
  const wanted = strict ? [...new Set(codes.map((code) => ([403, 404, 500, 503].includes(code) ? code : 403)))] : codes;
  const expected = codes.length === 0 ? got.length === 0 : got.length === 1 && wanted.includes(got[0] ?? 0);
  if (!expected) return `got ${JSON.stringify(got)}, wanted one of ${JSON.stringify(wanted)}`;
  return replies.some((one) => JSON.stringify(one).includes('canary')) ? 'the token stands in the answer' : undefined;
}

describe.each([false, true])('a gateway with strict status codes %s', (strict) => {
  // Outside the nightly run each attack is sent at a few of the operations, others for each attack: its form is refused
  // before the operation is known. Strictness changes the status code alone.
  const step = strict ? 12 : 3;
  const sent = REFUSED.filter((_one, index) => process.env['NIGHTLY'] === 'true' || index % step === 0);
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ strict });
  });

  afterAll(async () => {
    await rig.stop();
  });

  it(`the gateway rejects ${sent.length} forged requests and sends nothing of them upstream`, async () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(2_000);

    expect(await sendAll(rig, sent, strict)).toEqual([]);
    expect(rig.upstream.requests).toEqual([]);
    // Before it reads a body, the gateway asks whether the API server accepts the token.
    const { reviews } = rig.upstream;
    expect(new Set(reviews.map(({ method, path, body }) => `${method} ${path} ${body}`))).toEqual(
      new Set([TOKEN_REVIEW]),
    );
    expect(rig.upstream.text.match(/HTTP\/1\.1/g)).toHaveLength(reviews.length);
    expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(PROTOTYPE);
  }, 900_000);

  it('the gateway keeps every part of a token out of log lines, metrics and dumps', async () => {
    expect(await outputOf(rig)).not.toMatch(/canary|Bearer/i);
    expect(inspect(rig.gateway, { depth: 10, showHidden: true })).not.toContain('canary');
    expect(JSON.stringify(process.report.getReport())).not.toContain('canary');
    expect(rig.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('the gateway serves a well-behaved client after the forged requests', async () => {
    expect((await rig.ask({ path: PLACEMENTS })).status).toBe(200);
  });
});

describe('a header that is accepted', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(async () => {
    await rig.stop();
  });

  const COOKIE = [`COOKIE: Authorization: Bearer ${CANARY}`];
  const ADDED = [
    'Impersonate-User: root',
    'Impersonate-Group: system:masters',
    'Impersonate-Extra-x: y',
    'X-Remote-User: root',
    'X-Remote-Group: system:masters',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Host: x',
    'Forwarded: for=127.0.0.1',
    'Via: 1.1 x',
    'Proxy-Authorization: Bearer x',
    'Proxy-Connection: keep-alive',
    'Connection: authorization',
    'Connection: cookie, host',
    'Connection: content-length',
    'Connection: close, authorization',
    'TE: trailers',
    'Keep-Alive: timeout=100',
    '__proto__: x',
    'constructor: x',
    'Accept-Encoding: gzip',
    'Range: bytes=0-1',
    'X-Api-Version: 2',
    'Content-Type: operator/yaml',
    'Origin: https://localhost',
    'Sec-Fetch-Site: none',
  ];

  it.each(ADDED)('the header %s does not change the upstream request', async (line) => {
    for (const aim of WITHOUT_BODY) {
      rig.upstream.requests.length = 0;
      const { replies } = await sendRaw(request(aim, COOKIE, { add: [line] }), rig.wire);

      expect(replies).toMatchObject([{ status: 200 }]);
      expect(rig.upstream.requests.map(({ method }) => method)).toEqual([aim.method]);
      expect(rig.upstream.requests[0]?.headers.map((one) => one.toLowerCase()).sort()).toEqual([
        'accept: application/json',
        `authorization: bearer ${CANARY}`,
        'connection: keep-alive',
        expect.stringMatching(/^host: 127\.0\.0\.1:\d+$/),
        'user-agent: multicluster-engine-gateway/test',
      ]);
    }
  });

  it('the Host header does not decide where the request is sent', async () => {
    rig.upstream.requests.length = 0;
    const [aim] = AIMS;
    if (aim === undefined) throw new Error('no operation');

    const { replies } = await sendRaw(request(aim, COOKIE, { headers: ['Host: 169.254.169.254'] }), rig.wire);

    expect(replies).toMatchObject([{ status: 200 }]);
    expect(rig.upstream.requests[0]?.headers).toContainEqual(expect.stringMatching(/^host: 127\.0\.0\.1:\d+$/));
  });

  it('every response has only headers of the fixed list', async () => {
    const list = { apiVersion: PLACEMENT.apiVersion, kind: 'PlacementList', metadata: {}, items: [] };
    const odd = {
      'set-cookie': 'a=b',
      server: 'x',
      'x-kubernetes-pf-flowschema-uid': 'y',
      warning: '299 - "z"',
      'x-a': 'b\tc',
      etag: 'theirs',
      'access-control-allow-origin': '*',
    };
    rig.upstream.script = (_request, socket) => socket.write(reply(200, list, odd));

    const { headers } = await rig.ask({ path: PLACEMENTS });

    expect(Object.keys(headers).sort()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'x-content-type-options',
    ]);
  });
});
