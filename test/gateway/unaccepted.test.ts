import type { TLSSocket } from 'node:tls';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Placements } from '../../src/api/resources.js';
import type { GatewayOptions } from '../../src/gateway/gateway.js';
import { Budget } from '../../src/gateway/request/budget.js';
import { ObjectParser } from '../../src/gateway/request/objectparser.js';
import type { ObjectRequest } from '../../src/gateway/request/objectbody.js';
import { AcceptedTokens } from '../../src/gateway/upstream/acceptedtokens.js';
import type { Upstream } from '../../src/gateway/upstream/upstream.js';
import { systemClock, type Clock } from '../../src/runtime/clock.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { open, sendRaw } from './rawclient.js';
import { ENGINES, PLACEMENTS, startRig, type Rig } from './rig.js';
import { answerNormally, PLACEMENT, reply, type Script } from './upstream.js';

const GOOD = 'good-token';
const KIB = 1024;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const INVENTED = 'invented-token';

let rig: Rig | undefined;

/** By this clock no upload counts as stalled; timers run. */
const standingStill: Clock = { ...systemClock, monotonic: () => 0 };

const noUpstream: Pick<Upstream, 'begin'> = {
  begin: () => {
    throw new Error('no request is expected');
  },
};

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

/** An API server that accepts the token GOOD only. Its lists of Placements have more than 64 KiB. */
const authenticating: Script = (request, socket) => {
  const { path, method, headers } = request;
  if (!headers.includes(`authorization: Bearer ${GOOD}`)) socket.write(reply(401, { kind: 'Status' }));
  else if (path === REVIEWS) socket.write(reply(201, { kind: 'SelfSubjectReview' }));
  else if (method === 'GET' && path.endsWith('/placements')) socket.write(reply(200, LARGE_LIST));
  else answerNormally(request, socket);
};

const LARGE_LIST = {
  ...PLACEMENT,
  kind: 'PlacementList',
  metadata: { resourceVersion: '9' },
  items: [{ ...PLACEMENT, metadata: { ...PLACEMENT.metadata, annotations: { a: 'x'.repeat(100 * KIB) } } }],
};

async function start(options: Partial<GatewayOptions> = {}): Promise<Rig> {
  rig = await startRig(options);
  rig.upstream.script = authenticating;
  return rig;
}

function head(token: string, more: string, method = 'POST', path = ENGINES): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nCOOKIE: Authorization: Bearer ${token}\r\n${more}\r\n`;
}

/** A valid engine in YAML of that size. */
function engine(size: number): string {
  const text = 'metadata:\n  name: engine\n';
  return `${text}#${'x'.repeat(size - text.length - 1)}`;
}

function post(token: string, size: number, more = ''): string {
  return head(token, `Content-Type: application/yaml\r\n${more}Content-Length: ${size}\r\n`) + engine(size);
}

function reviewsOf({ upstream }: Rig): number {
  return upstream.requests.filter(({ path }) => path === REVIEWS).length;
}

function writesOf({ upstream }: Rig): number {
  return upstream.requests.filter(({ path, method }) => method === 'POST' && path !== REVIEWS).length;
}

describe('a body of more than 64 KiB whose token the API server has not accepted lately', () => {
  it.each([false, true])(
    'the gateway answers a body of more than 64 KiB with 403 and does not send it when the token is invented (strict: %s)',
    async (strict) => {
      const started = await start({ strict });

      const { replies } = await sendRaw(post(INVENTED, 100 * KIB), started.wire);

      expect(replies).toMatchObject([{ status: 403, headers: { connection: 'close' } }]);
      expect(replies.map(({ body }) => body === '')).toEqual([strict]);
      expect([reviewsOf(started), writesOf(started)]).toEqual([1, 0]);
      expect(started.upstream.requests[0]).toMatchObject({
        method: 'POST',
        path: REVIEWS,
        headers: expect.arrayContaining([`authorization: Bearer ${INVENTED}`]),
      });
    },
  );

  it('the gateway does not send 100 Continue for a body of more than 64 KiB when the token is invented', async () => {
    const started = await start();
    const announced = head(
      INVENTED,
      `Content-Type: application/yaml\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n`,
    );

    const { replies } = await sendRaw(announced, started.wire);

    expect(replies).toMatchObject([{ status: 403 }]);
  });

  it('the gateway reads 64 KiB of a chunked body and then answers 403 when the token is invented', async () => {
    const started = await start();
    const chunk = 'x'.repeat(KIB);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(100);
    const text = head(INVENTED, 'Content-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n') + chunks;

    const { replies } = await sendRaw(text, started.wire);

    expect(replies).toMatchObject([{ status: 403 }]);
    expect([reviewsOf(started), writesOf(started)]).toEqual([1, 0]);
  });

  it('the gateway sends a body of more than 64 KiB after one SelfSubjectReview, and further ones without', async () => {
    const started = await start();

    for (const _round of [1, 2]) {
      expect((await sendRaw(post(GOOD, 100 * KIB), started.wire)).replies).toMatchObject([{ status: 200 }]);
    }

    expect([reviewsOf(started), writesOf(started)]).toEqual([1, 2]);
  });

  it('the gateway sends a body of more than 64 KiB without a SelfSubjectReview after another accepted request', async () => {
    const started = await start();
    await sendRaw(head(GOOD, '', 'GET'), started.wire);

    expect((await sendRaw(post(GOOD, 100 * KIB), started.wire)).replies).toMatchObject([{ status: 200 }]);

    expect([reviewsOf(started), writesOf(started)]).toEqual([0, 1]);
  });

  it('the gateway answers a body of more than 64 KiB with 503 when the API server does not say whether it accepts the token', async () => {
    const started = await start();
    started.upstream.script = (_request, socket) => void socket.write(reply(429, {}));

    const { replies } = await sendRaw(post(GOOD, 100 * KIB), started.wire);

    expect(replies).toMatchObject([{ status: 503, headers: { 'retry-after': '1' } }]);
  });
});

describe('unfinished uploads with an invented token', () => {
  /** Sends all but the end of a body. */
  async function upload(started: Rig): Promise<TLSSocket> {
    const socket = await open(started.wire);
    socket.resume().on('error', () => undefined);
    socket.write(post(INVENTED, 60 * KIB).slice(0, -1));
    return socket;
  }

  it('unfinished uploads with an invented token leave memory for large answers and for uploads of an accepted token', async () => {
    const started = await start({ clock: standingStill });
    const sockets = await Promise.all(Array.from({ length: 150 }, () => upload(started)));
    await waitFor('the unaccepted clients to exhaust what they share', () => reviewsOf(started) > 0);

    const list = await sendRaw(head(GOOD, '', 'GET', PLACEMENTS), started.wire);
    const large = await sendRaw(post(GOOD, 900 * KIB), started.wire);
    const small = await sendRaw(post(GOOD, KIB), started.wire);

    expect([list, large, small].flatMap(({ replies }) => replies.map(({ status }) => status))).toEqual([200, 200, 200]);
    for (const socket of sockets) socket.destroy();
  });

  it('unfinished uploads with an invented token leave memory for the first upload of a client whose token is accepted', async () => {
    const started = await start({ clock: standingStill });
    const sockets = await Promise.all(Array.from({ length: 150 }, () => upload(started)));
    await waitFor('the unaccepted clients to exhaust what they share', () => reviewsOf(started) > 0);

    expect((await sendRaw(post(GOOD, KIB), started.wire)).replies).toMatchObject([{ status: 200 }]);

    for (const socket of sockets) socket.destroy();
  });
});

describe('the memory of the accepted tokens', () => {
  it.each([200, 201, 403, 404, 409, 422])(
    'a token counts as accepted for 10 s after an answer with %s',
    async (status) => {
      const clock = new ManualClock();
      const tokens = new AcceptedTokens(noUpstream, clock);

      tokens.observe(tokens.of(GOOD), status);
      const accepted = tokens.isAccepted(tokens.of(GOOD));
      await clock.advance(9_999);
      const still = tokens.isAccepted(tokens.of(GOOD));
      await clock.advance(1);

      expect([accepted, still, tokens.isAccepted(tokens.of(GOOD)), tokens.isAccepted(tokens.of(INVENTED))]).toEqual([
        true,
        true,
        false,
        false,
      ]);
    },
  );

  it.each([302, 400, 401, 408, 429, 500, 502, 503])(
    'a token does not count as accepted after an answer with %s',
    (status) => {
      const tokens = new AcceptedTokens(noUpstream, new ManualClock());

      tokens.observe(tokens.of(GOOD), status);

      expect(tokens.isAccepted(tokens.of(GOOD))).toBe(false);
    },
  );

  it('a token no longer counts as accepted after an answer with 401', () => {
    const tokens = new AcceptedTokens(noUpstream, new ManualClock());
    tokens.observe(tokens.of(GOOD), 200);

    tokens.observe(tokens.of(GOOD), 401);

    expect(tokens.isAccepted(tokens.of(GOOD))).toBe(false);
  });

  it('of 10,001 accepted tokens the one that was accepted first is forgotten', () => {
    const tokens = new AcceptedTokens(noUpstream, new ManualClock());
    tokens.observe(tokens.of('first'), 200);
    for (let index = 0; index < 9_999; index++) tokens.observe(tokens.of(`token-${index}`), 200);
    const before = tokens.isAccepted(tokens.of('first'));

    tokens.observe(tokens.of('one more'), 200);

    expect([before, tokens.isAccepted(tokens.of('first')), tokens.isAccepted(tokens.of('token-0'))]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('the parser of bodies', () => {
  const request: ObjectRequest = {
    action: 'create',
    target: { resource: Placements, namespace: 'shop' },
    resourceVersion: undefined,
    format: 'yaml',
  };
  /** Takes the parser long, and is rejected at its end. */
  const hostile = Buffer.from(`a: ${'1_'.repeat(500 * KIB)}`);

  it.each([true, false])(
    'the event loop runs while a body of 1 MiB is parsed (accepted token: %s)',
    async (accepted) => {
      const parser = new ObjectParser(systemClock);
      let turns = 0;
      let done = false;
      const count = (): void => {
        turns += 1;
        if (!done) setImmediate(count);
      };
      count();

      const parsing = [1, 2, 3].map(() => parser.parse(hostile, request, accepted).catch((error: unknown) => error));
      const errors = await Promise.all(parsing).finally(() => (done = true));

      for (const error of errors)
        expect(error).toMatchObject({ kind: 'malformed', detail: { causes: [{ field: 'a' }] } });
      // A loop that is blocked by all of them does not turn once.
      expect(turns).toBeGreaterThan(1);
      await parser.close();
    },
  );

  it('a body that is parsed in a thread gives the same object as one that is parsed in place', async () => {
    const parser = new ObjectParser(systemClock);
    const bytes = Buffer.from('metadata:\n  name: web\nspec:\n  numberOfClusters: 2\n');

    const [inPlace, inThread] = await Promise.all([
      parser.parse(bytes, request, true),
      parser.parse(bytes, request, false),
    ]);

    expect(inThread).toBe(inPlace);
    expect(JSON.parse(inPlace)).toMatchObject({ kind: 'Placement', spec: { numberOfClusters: 2 } });
    await parser.close();
  });

  it('the parser is busy while a body of a token that is not accepted is parsed', async () => {
    const parser = new ObjectParser(systemClock);
    const before = parser.busy;

    const parsing = parser.parse(hostile, request, false).catch(() => undefined);
    const during = parser.busy;
    await parsing;

    expect([before, during, parser.busy]).toEqual([false, true, false]);
    await parser.close();
  });

  it('a body whose thread takes too long is rejected with 503, and the next one is parsed', async () => {
    const clock = new ManualClock();
    const parser = new ObjectParser(clock);

    const parsing = parser.parse(hostile, request, false);
    await waitFor('the timer of the job', () => clock.pending > 0);
    await clock.advance(10_000);

    await expect(parsing).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(parser.parse(Buffer.from('{metadata: {name: web}, spec: {}}'), request, false)).resolves.toContain(
      '"web"',
    );
    await parser.close();
  });
});

describe('a budget of which everything is held', () => {
  it('a budget that is exhausted gives the bytes of the upload that has stood still longest to another one', async () => {
    const clock = new ManualClock();
    const budget = new Budget({ limit: 10, uncounted: 0, clock });
    const evicted: string[] = [];
    const [first, second] = ['first', 'second'].map((name) => budget.reserve(() => evicted.push(name)));
    first?.grow(4);
    await clock.advance(500);
    second?.grow(6);
    const newcomer = budget.reserve(() => undefined);

    const tooEarly = newcomer.grow(3);
    await clock.advance(500);
    const later = newcomer.grow(3);

    expect([tooEarly, later, evicted, budget.held]).toEqual([false, true, ['first'], 9]);
  });

  it('a budget that is exhausted keeps the bytes of a body that has arrived', async () => {
    const clock = new ManualClock();
    const budget = new Budget({ limit: 10, uncounted: 0, clock });
    const evicted: string[] = [];
    const arrived = budget.reserve(() => evicted.push('arrived'));
    arrived.grow(10);
    arrived.complete();
    await clock.advance(60_000);

    expect([budget.reserve(() => undefined).grow(1), budget.held, evicted]).toEqual([false, 10, []]);
  });
});

describe('calls with invented tokens to an API server that answers them late', () => {
  it('calls with invented tokens leave connections to the API server for an accepted token', async () => {
    const started = await start();
    await sendRaw(head(GOOD, '', 'GET'), started.wire);
    started.upstream.script = (request, socket) => {
      if (request.headers.includes(`authorization: Bearer ${GOOD}`)) answerNormally(request, socket);
    };
    const sockets = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const socket = await open(started.wire);
        socket.resume().on('error', () => undefined);
        socket.write(head(INVENTED, '', 'GET'));
        return socket;
      }),
    );
    await waitFor('as many calls as such clients may make', () => started.upstream.requests.length === 1 + 64);

    expect((await sendRaw(head(GOOD, '', 'GET'), started.wire)).replies).toMatchObject([{ status: 200 }]);

    for (const socket of sockets) socket.destroy();
  });
});

it('a YAML response of 1 MiB is written while the event loop runs', async () => {
  const parser = new ObjectParser(systemClock);
  const list = { items: Array.from({ length: 10_000 }, (_one, index) => ({ name: `placement-${index}`, spec: {} })) };
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  count();

  const json = Buffer.from(JSON.stringify(list));
  const texts = await Promise.all([1, 2, 3, 4, 5].map(() => parser.toYaml(json))).finally(() => (done = true));

  for (const text of texts) expect(text).toContain('name: placement-9999\n');
  expect(turns).toBeGreaterThan(1);
  await parser.close();
});

describe('tokens that the API server has accepted before', () => {
  it('a call with a token that was accepted in the last hour waits for none with an invented token', () => {
    const clock = new ManualClock();
    const tokens = new AcceptedTokens(noUpstream, clock);
    tokens.observe(tokens.of(GOOD), 200);

    expect([tokens.isKnown(tokens.of(GOOD)), tokens.isKnown(tokens.of(INVENTED))]).toEqual([true, false]);
    tokens.observe(tokens.of(GOOD), 401);
    expect(tokens.isKnown(tokens.of(GOOD))).toBe(false);
  });

  it('a token is no longer known an hour after its last accepted request', async () => {
    const clock = new ManualClock();
    const tokens = new AcceptedTokens(noUpstream, clock);
    tokens.observe(tokens.of(GOOD), 200);
    await clock.advance(60 * 60 * 1000 - 1);
    const before = tokens.isKnown(tokens.of(GOOD));
    await clock.advance(1);

    expect([before, tokens.isKnown(tokens.of(GOOD))]).toEqual([true, false]);
  });
});

it('a review of a token that the API server answers with garbage is answered with 503', async () => {
  const started = await start();
  started.upstream.script = (_request, socket) => void socket.end('no HTTP');

  const { replies } = await sendRaw(post(GOOD, 100 * KIB), started.wire);

  expect(replies).toMatchObject([{ status: 503, headers: { 'retry-after': '1' } }]);
});
