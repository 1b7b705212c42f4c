import type { TLSSocket } from 'node:tls';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Placements } from '../../src/api/resources.js';
import type { GatewayOptions } from '../../src/gateway/gateway.js';
import { Budget } from '../../src/gateway/request/budget.js';
import { ObjectParser } from '../../src/gateway/request/objectparser.js';
import type { ObjectRequest } from '../../src/gateway/request/objectbody.js';
import { AcceptedTokens } from '../../src/gateway/upstream/acceptedtokens.js';
import type { Upstream } from '../../src/gateway/upstream/upstream.js';
import { systemClock } from '../../src/runtime/clock.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { open, readReplies, sendRaw } from './rawclient.js';
import { ENGINES, PLACEMENTS, startRig, type Rig } from './rig.js';
import { answerNormally, PLACEMENT, reply, type Script } from './upstream.js';

const GOOD = 'good-token';
const KIB = 1024;
const INVENTED = 'invented-token';

let rig: Rig | undefined;

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
  rig.upstream.reviewScript = authenticating;
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

/** Sends all but the end of a body with an invented token. */
async function upload(started: Rig): Promise<TLSSocket> {
  const socket = await open(started.wire);
  socket.resume().on('error', () => undefined);
  socket.write(post(INVENTED, 60 * KIB).slice(0, -1));
  return socket;
}

describe('a body whose token the API server has not accepted within the last 10 s', () => {
  it.each([
    [100, false],
    [100, true],
    [1, false],
    [1, true],
  ])(
    'the gateway answers a body of %s KiB with 403 and does not send it when the token is invented (strict: %s)',
    async (kib, strict) => {
      const { wire, upstream } = await start({ strict });

      const { replies } = await sendRaw(post(INVENTED, kib * KIB), wire);

      expect(replies).toMatchObject([{ status: 403 }]);
      expect(replies.map(({ body }) => body === '')).toEqual([strict]);
      expect([upstream.reviews.length, upstream.requests.length]).toEqual([1, 0]);
      expect(upstream.reviews[0]).toMatchObject({
        method: 'POST',
        headers: expect.arrayContaining([`authorization: Bearer ${INVENTED}`]),
      });
    },
  );

  it('the gateway answers a malformed body with 403 when the token is invented: it does not read the body', async () => {
    const { wire } = await start();
    const text = `${head(INVENTED, 'Content-Type: application/yaml\r\nContent-Length: 2\r\n')}[}`;

    expect((await sendRaw(text, wire)).replies).toMatchObject([{ status: 403 }]);
  });

  it.each([5, 99_999])(
    'the gateway sends no 100 Continue for a body of %s bytes when the token is invented',
    async (length) => {
      const { wire } = await start();
      const more = `Content-Type: application/yaml\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n`;

      const { replies } = await sendRaw(head(INVENTED, more), wire);

      expect(replies).toMatchObject([{ status: 403, headers: { connection: 'close' } }]);
    },
  );

  it('the gateway sends 100 Continue after the API server has accepted the token', async () => {
    const { wire, upstream } = await start();
    const socket = await open(wire);
    const body = engine(KIB);
    let first = '';
    const { replies } = await readReplies(socket, () => {
      socket.once('data', (bytes: Buffer) => {
        first = `${bytes.toString('latin1').slice(0, 12)} after ${upstream.reviews.length}`;
        socket.write(body);
      });
      const more = `Content-Type: application/yaml\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n`;
      socket.write(head(GOOD, `${more}Connection: close\r\n`));
    });

    expect([first, ...replies.map(({ status }) => status)]).toEqual(['HTTP/1.1 100 after 1', 200]);
  });

  it('the gateway answers 403 and closes the connection when a chunked body of an invented token does not end', async () => {
    const { wire, upstream } = await start();
    const chunk = 'x'.repeat(KIB);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(100);
    const text = head(INVENTED, 'Content-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n') + chunks;

    const { replies } = await sendRaw(text, wire);

    expect(replies).toMatchObject([{ status: 403, headers: { connection: 'close' } }]);
    expect([upstream.reviews.length, upstream.requests.length]).toEqual([1, 0]);
  });

  it('a connection stays usable after a 403 when the body has arrived with its head', async () => {
    const { wire } = await start();
    const next = head(GOOD, 'Connection: close\r\n', 'GET');
    const socket = await open(wire);

    const { replies } = await readReplies(
      socket,
      () => {
        socket.once('data', () => socket.write(next));
        socket.write(post(INVENTED, KIB));
      },
      { wanted: 2 },
    );

    expect(replies.map(({ status }) => status)).toEqual([403, 200]);
  });

  it.each([1, 100])('the gateway sends a body of %s KiB after one review, and the next one without', async (kib) => {
    const { wire, upstream } = await start();

    for (const _round of [1, 2]) {
      expect((await sendRaw(post(GOOD, kib * KIB), wire)).replies).toMatchObject([{ status: 200 }]);
    }

    expect([upstream.reviews.length, upstream.requests.length]).toEqual([1, 2]);
  });

  it('the gateway sends a body without a review after another accepted request', async () => {
    const { wire, upstream } = await start();
    await sendRaw(head(GOOD, '', 'GET'), wire);

    expect((await sendRaw(post(GOOD, 100 * KIB), wire)).replies).toMatchObject([{ status: 200 }]);

    expect([upstream.reviews.length, upstream.requests.length]).toEqual([0, 2]);
  });

  it.each<[string, Script, string]>([
    ['429', (_request, socket) => void socket.write(reply(429, {}, { 'retry-after': '7' })), '7'],
    ['500', (_request, socket) => void socket.write(reply(500, {})), '1'],
    ['garbage', (_request, socket) => void socket.end('no HTTP'), '1'],
  ])(
    'the gateway answers a body with 503 when the API server answers the review with %s',
    async (_what, script, seconds) => {
      const { wire, upstream } = await start();
      upstream.reviewScript = script;

      const { replies } = await sendRaw(post(GOOD, KIB), wire);

      expect(replies).toMatchObject([{ status: 503, headers: { 'retry-after': seconds } }]);
      expect(upstream.requests).toEqual([]);
    },
  );

  it('unfinished uploads with an invented token leave memory for large responses and for the first upload of an accepted token', async () => {
    const started = await start();
    const { upstream, wire } = started;
    const sockets = await Promise.all(Array.from({ length: 80 }, () => upload(started)));
    await waitFor('the reviews', () => upstream.reviews.length === sockets.length);

    const small = await sendRaw(post(GOOD, KIB), wire);
    const list = await sendRaw(head(GOOD, '', 'GET', PLACEMENTS), wire);
    const large = await sendRaw(post(GOOD, 900 * KIB), wire);

    expect([small, list, large].flatMap(({ replies }) => replies.map(({ status }) => status))).toEqual([200, 200, 200]);
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

  it('the event loop runs while a body of 1 MiB is parsed', async () => {
    const parser = new ObjectParser(systemClock);
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    count();

    const parsing = [1, 2, 3].map(() => parser.parse(hostile, request).catch((error: unknown) => error));
    const errors = await Promise.all(parsing).finally(() => (done = true));

    for (const error of errors)
      expect(error).toMatchObject({ kind: 'malformed', detail: { causes: [{ field: 'a' }] } });
    // A loop that is blocked by all of them does not turn once.
    expect(turns).toBeGreaterThan(1);
    await parser.close();
  });

  it('a body that is parsed in the thread gives the same object as one that is parsed in place', async () => {
    const parser = new ObjectParser(systemClock);
    const text = 'metadata:\n  name: web\nspec:\n  numberOfClusters: 2\n';

    const [inPlace, inThread] = await Promise.all(
      [text, `${text}#${'x'.repeat(4 * KIB)}`].map((one) => parser.parse(Buffer.from(one), request)),
    );

    expect(inThread).toBe(inPlace);
    expect(JSON.parse(inPlace ?? '')).toMatchObject({ kind: 'Placement', spec: { numberOfClusters: 2 } });
    await parser.close();
  });

  it('a body whose thread takes too long is rejected with 503, and the next one is parsed', async () => {
    const clock = new ManualClock();
    const parser = new ObjectParser(clock);

    const parsing = parser.parse(hostile, request);
    await waitFor('the timer of the job', () => clock.pending > 0);
    await clock.advance(10_000);

    await expect(parsing).rejects.toMatchObject({ kind: 'unavailable' });
    const next = Buffer.from(`{metadata: {name: web}, spec: {}} #${'x'.repeat(4 * KIB)}`);
    await expect(parser.parse(next, request)).resolves.toContain('"web"');
    await parser.close();
  });

  it('a response whose thread fails is not told as a body that could not be parsed', async () => {
    const parser = new ObjectParser(systemClock);
    await parser.close();
    const large = Buffer.from(JSON.stringify({ name: 'x'.repeat(4 * KIB) }));

    await expect(parser.toYaml(large)).rejects.toMatchObject({
      kind: 'unavailable',
      detail: { message: 'the answer could not be written as YAML now' },
    });
    await expect(parser.parse(large, request)).rejects.toMatchObject({
      kind: 'unavailable',
      detail: { message: 'the body could not be parsed now' },
    });
  });
});

describe('a budget of which everything is held', () => {
  it('a budget that is exhausted gives the bytes of the upload that has stood still longest to another one', async () => {
    const clock = new ManualClock();
    const budget = new Budget({ limit: 10, uncounted: 0, clock });
    const evicted: string[] = [];
    const [first, second, newcomer] = [budget.reserve(), budget.reserve(), budget.reserve()];
    first.grow(4, () => evicted.push('first'));
    await clock.advance(500);
    second.grow(6, () => evicted.push('second'));

    const tooEarly = newcomer.grow(3);
    await clock.advance(500);
    const later = newcomer.grow(3);

    expect([tooEarly, later, evicted, budget.reserved]).toEqual([false, true, ['first'], 9]);
  });

  it('a budget that is exhausted keeps the bytes of a body that has arrived', async () => {
    const clock = new ManualClock();
    const budget = new Budget({ limit: 10, uncounted: 0, clock });
    const evicted: string[] = [];
    const arrived = budget.reserve();
    arrived.grow(10, () => evicted.push('arrived'));
    arrived.complete();
    await clock.advance(60_000);

    expect([budget.reserve().grow(1), budget.reserved, evicted]).toEqual([false, 10, []]);
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
