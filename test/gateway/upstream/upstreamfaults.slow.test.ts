import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { type Ask } from '../client.js';
import { ENGINE_YAML, ENGINES, PLACEMENTS, startRig, outputOf, type Rig } from '../rig.js';
import { ENGINE, answerNormally, PLACEMENT, reply, type Script } from '../upstream.js';

const CREATE: Ask = {
  method: 'POST',
  path: ENGINES,
  headers: { 'content-type': 'application/yaml' },
  body: ENGINE_YAML,
};
const REMOVE: Ask = { method: 'DELETE', path: `${ENGINES}/engine` };
const READ: Ask = { path: `${ENGINES}/engine` };
const ASKS: readonly (readonly [string, Ask])[] = [
  ['POST', CREATE],
  ['DELETE', REMOVE],
  ['GET', READ],
];
const UPSTREAM_TIMEOUT_MS = 400;
const MIB = 1024 * 1024;

let rig: Rig;
/** A gateway with a manual clock, for responses that never end. */
let shortTimeout: Rig;
const clock = new ManualClock(Date.now());
/** Bytes that were written so far. */
let dripped = 0;

beforeAll(async () => {
  [rig, shortTimeout] = await Promise.all([startRig(), startRig({ upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS, clock })]);
});

afterAll(async () => {
  await Promise.all([rig.stop(), shortTimeout.stop()]);
});

beforeEach(() => {
  rig.upstream.script = answerNormally;
  rig.upstream.requests.length = 0;
});

const OBJECT = JSON.stringify(ENGINE);
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CANARIES = 'canary-token SECRET UPSTREAM TEXT';

function says(text: string): Script {
  return (_request, socket) => void socket.write(text);
}

function saysAndCuts(text: string): Script {
  return (_request, socket) => void socket.write(text, () => socket.destroy());
}

/** Writes bytes of the response at intervals, `most` in all, and never completes it. */
function drips(text: string, most = Infinity): Script {
  return (_request, socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at === most) return;
      socket.write(text[at++ % text.length] ?? '');
      dripped += 1;
    }, 20);
    socket.on('close', () => clearInterval(timer));
  };
}

describe.each(ASKS)('a %s whose upstream response has a fault', (method, ask) => {
  const expected = method === 'GET' ? 'an error' : '200 without a body: the write was done';

  async function meets(one: Rig, script: Script, code: number): Promise<void> {
    one.upstream.script = script;
    one.upstream.requests.length = 0;

    const answer = await one.ask(ask);

    expect(answer).toMatchObject({ status: code, body: '' });
    expect(answer.headers['retry-after']).toBe(code === 503 ? '1' : undefined);
    expect(one.upstream.requests.map((request) => request.method)).toEqual([method]);
    expect(JSON.stringify(answer)).not.toMatch(/canary|SECRET/);
  }

  it.each<[string, Script, number]>([
    ['never comes', () => undefined, 0],
    ['drips in its head', drips('HTTP/1.1 200 OK\r\nX: '), 10],
  ])(`a ${method} whose upstream response %s gets 503 at the timeout`, async (_name, script, pieces) => {
    dripped = 0;
    const met = meets(shortTimeout, script, 503);
    await waitFor('the call upstream', () => shortTimeout.upstream.requests.length === 1 && dripped >= pieces, {
      everyMs: 2,
    });
    await clock.advance(UPSTREAM_TIMEOUT_MS);
    await met;
  });

  it(`a ${method} whose upstream response stops in its body gets ${expected} at the timeout`, async () => {
    dripped = 0;
    const stopping: Script = (request, socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
      drips('{', 10)(request, socket);
    };
    let over = false;
    const met = meets(shortTimeout, stopping, method === 'GET' ? 503 : 200).finally(() => (over = true));
    await waitFor('the beginning of the body', () => dripped === 10, { everyMs: 2 });
    await waitFor('the response', async () => {
      await clock.advance(UPSTREAM_TIMEOUT_MS);
      return over;
    });
    await met;
  });

  it.each<[string, Script, number]>([
    ['is a reset before the head', (_request, socket) => socket.destroy(), 500],
    ['is an end before the head', (_request, socket) => void socket.end(), 500],
    ['is a reset within the head', saysAndCuts('HTTP/1.1 200 OK\r\nContent-'), 500],
    ['is a 418', says(reply(418, CANARIES)), 500],
    ['is a 101', says('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'), 500],
    ['is a 100', says('HTTP/1.1 100 Continue\r\n\r\n'), 500],
    ['is a 302', says('HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:1/x\r\nContent-Length: 0\r\n\r\n'), 500],
    [
      'is a 308 to the same server',
      says('HTTP/1.1 308 Permanent Redirect\r\nLocation: /api/v1/secrets\r\nContent-Length: 0\r\n\r\n'),
      500,
    ],
    ['is a 500', says(reply(500, CANARIES)), 500],
    ['is a 503', says(reply(503, CANARIES)), 503],
    ['is a page of HTML with a 200', says(reply(200, CANARIES, { 'content-type': 'text/html' })), 500],
    ['is no HTTP', says(`SSH-2.0-${CANARIES}\r\n\r\n`), 500],
    ['has two lengths', says(`${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}`), 500],
    ['has a huge head', says(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`), 500],
  ])(`a ${method} whose upstream response %s gets an error without a body`, async (_name, script, code) => {
    await meets(rig, script, code);
  });

  it.each<[string, Script]>([
    ['is a reset before the body', saysAndCuts(`${HEAD}Content-Length: ${OBJECT.length}\r\n\r\n`)],
    [
      'is a reset within the body',
      saysAndCuts(`${HEAD}Content-Length: ${OBJECT.length}\r\n\r\n${OBJECT.slice(0, 20)}`),
    ],
    [
      'is a cut chunk',
      saysAndCuts(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${OBJECT.length.toString(16)}\r\n${OBJECT.slice(0, 20)}`),
    ],
    [
      'lacks the last chunk',
      saysAndCuts(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${OBJECT.length.toString(16)}\r\n${OBJECT}\r\n`),
    ],
    ['has a bad chunk', says(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${CANARIES}\r\n0\r\n\r\n`)],
    ['is cut JSON in a whole answer', says(reply(200, OBJECT.slice(0, 20)))],
    ['is empty', says(reply(200, ''))],
    ['announces more than 64 MiB', says(`${HEAD}Content-Length: ${64 * MIB + 1}\r\n\r\n${OBJECT}`)],
    ['is HTML that is declared as JSON', says(reply(200, '<html></html>'))],
    ['is JSON of no object', says(reply(200, '[]'))],
    ['is another kind', says(reply(200, PLACEMENT))],
    [
      'is no UTF-8',
      (_request, socket) =>
        void socket.write(Buffer.from(reply(200, OBJECT).replace('"engine"', '"engin\xe9"'), 'latin1')),
    ],
    [
      'has a number for its revision',
      says(reply(200, { ...ENGINE, metadata: { name: 'engine', resourceVersion: 7 } })),
    ],
    ['is announced to have 100 MB', says(`${HEAD}Content-Length: 104857600\r\n\r\n{`)],
  ])(`a ${method} whose upstream response has a success status and %s gets ${expected}`, async (_name, script) => {
    const before = rig.log.lines.length;

    await meets(rig, script, method === 'GET' ? 500 : 200);

    const line = await waitFor('the access log', () => rig.log.lines[before]);
    expect(line.fields).toMatchObject({ failure: expect.stringMatching(/^broken /) });
  });

  it(`a ${method} whose upstream response is preceded by 103 gets that response`, async () => {
    rig.upstream.script = (request, socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      answerNormally(request, socket);
    };

    expect((await rig.ask(ask)).status).toBe(200);
  });
});

/**
 * As kube-apiserver 1.36 answers (pinned by test/integration/gateway/messages.test.ts); first with the default codes of
 * a policy and of a webhook.
 */
const DENIALS: readonly (readonly [string, number, string])[] = [
  [
    'a policy',
    422,
    `multiclusterengines.multicluster.platform.io "engine" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${CANARIES}`,
  ],
  [
    'a policy with a reason',
    413,
    `multiclusterengines.multicluster.platform.io "engine" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${CANARIES}`,
  ],
  ['a webhook', 400, `admission webhook "w.example.com" denied the request: ${CANARIES}`],
  ['a webhook without a word', 409, 'admission webhook "w.example.com" denied the request without explanation'],
  ['a webhook with a code of its own', 418, `admission webhook "w.example.com" denied the request: ${CANARIES}`],
];

describe.each(ASKS.slice(0, 2))('a %s that is denied', (method, ask) => {
  it.each(DENIALS)(`a ${method} that is denied by %s (%i) gets 403`, async (_who, code, message) => {
    rig.upstream.script = says(
      reply(code, { kind: 'Status', status: 'Failure', message, details: { causes: [{ message }] }, code }),
    );

    expect(await rig.ask(ask)).toMatchObject({ status: 403, body: expect.stringContaining('"reason":"Forbidden"') });
    expect(rig.upstream.requests).toHaveLength(1);
  });
});

it.each<[string, Ask, readonly number[]]>([
  ['a GET', READ, [400, 409, 413, 422]],
  ['a DELETE', REMOVE, [400, 413, 422]],
])(
  'the gateway answers %s with 500 for an upstream error about an object, since no object was sent',
  async (_name, ask, codes) => {
    for (const code of codes) {
      rig.upstream.script = says(
        reply(code, { kind: 'Status', status: 'Failure', message: 'engine is invalid', reason: 'Invalid', code }),
      );

      expect(await rig.ask(ask)).toMatchObject({ status: 500, body: '' });
    }
  },
);

describe('a response of 100 MB', () => {
  const CHUNK = Buffer.alloc(64 * 1024, ' ');

  /** An endless list, written as fast as it is read. */
  const endless: Script = (_request, socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
    let left = 1600;
    const more = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= 1;
        socket.write('10000\r\n');
        socket.write(CHUNK);
        if (!socket.write('\r\n')) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
  };

  it.each(ASKS)(
    'an upstream response of 100 MB to a %s is aborted within bounded memory and never looks complete',
    async (_method, ask) => {
      const longTimeout = await startRig({ upstreamTimeoutMs: 60_000 });
      longTimeout.upstream.script = endless;
      const before = process.memoryUsage().arrayBuffers;
      let most = 0;
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5);

      const outcome = await longTimeout.ask(ask).then(
        (answer) => answer.status,
        () => 'cut',
      );

      clearInterval(timer);
      await longTimeout.stop();
      // A read is streamed, so that its connection is closed; a write was done, whatever the body is.
      expect(outcome).toBe(ask === READ ? 'cut' : 200);
      expect(longTimeout.upstream.requests).toHaveLength(1);
      // This process holds both ends, what is not collected yet, and the client's copy of what it got, up to the 64 MiB
      // at which the gateway stops.
      expect((most - before) / MIB).toBeLessThan(ask === READ ? 200 : 100);
    },
  );
});

describe('a large response', () => {
  const items = Array.from({ length: 3_000 }, (_, index) => ({
    ...PLACEMENT,
    metadata: { name: `web-${index}`, namespace: 'shop', annotations: { a: 'x'.repeat(500) } },
  }));
  const list = { apiVersion: PLACEMENT.apiVersion, kind: 'PlacementList', metadata: { resourceVersion: '9' }, items };
  let longTimeout: Rig;

  beforeAll(async () => {
    longTimeout = await startRig();
  });

  afterAll(async () => {
    await longTimeout.stop();
  });

  it.each(['application/json', 'application/yaml'])('a large upstream response is streamed as %s', async (accept) => {
    longTimeout.upstream.script = (_request, socket) => socket.write(reply(200, list));

    const { status, body, headers } = await longTimeout.ask({ path: PLACEMENTS, headers: { accept } });

    expect([status, headers['content-type'], headers['etag']]).toEqual([200, accept, undefined]);
    expect(JSON.parse(body)).toEqual(list);
  });

  it('a large upstream response that is truncated is truncated for the client, too', async () => {
    const text = JSON.stringify(list);
    longTimeout.upstream.script = saysAndCuts(
      `${HEAD}Content-Length: ${text.length}\r\n\r\n${text.slice(0, 1_300_000)}`,
    );

    await expect(longTimeout.ask({ path: PLACEMENTS })).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  it.each([{}, { prefer: 'return=representation' }])(
    'a large upstream response to a write is not passed on: the client gets 200 without a body (%j)',
    async (prefer) => {
      const annotations = { a: 'x'.repeat(1_200_000) };
      longTimeout.upstream.script = (_request, socket) =>
        socket.write(reply(201, { ...ENGINE, metadata: { name: 'engine', annotations } }));

      const { status, body, headers } = await longTimeout.ask({ ...CREATE, headers: { ...CREATE.headers, ...prefer } });

      expect([status, body, headers['preference-applied']]).toEqual([200, '', undefined]);
    },
  );
});

describe('an API server', () => {
  it('an API server that refuses connections causes 503', async () => {
    const unreachable = await startRig({ upstream: 'https://127.0.0.1:1' });
    const answers = await Promise.all(ASKS.map(([, ask]) => unreachable.ask(ask)));
    await unreachable.stop();

    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  });

  it('an API server that closes idle connections fails no request', async () => {
    rig.upstream.script = (request, socket) => {
      answerNormally(request, socket);
      socket.end();
    };

    for (let index = 0; index < 20; index++) expect((await rig.ask(CREATE)).status).toBe(200);
    expect(rig.upstream.requests).toHaveLength(20);
  });

  it.each(ASKS.flatMap(([method, ask]) => ['before', 'in', 'after'].map((when) => [method, when, ask] as const)))(
    'an API server that resets the connection of a %s %s its response is sent the request once',
    async (_method, when, ask) => {
      rig.upstream.script = (request, socket) => {
        if (when === 'in') socket.write(`${HEAD}Content-Length: 1000\r\n\r\n{`);
        if (when === 'after') answerNormally(request, socket);
        setImmediate(() => rig.upstream.reset(socket));
      };

      const { status } = await rig.ask(ask);

      // The reset may overtake a response that was already sent; a write whose status code was received was done.
      const done = when === 'after' || (when === 'in' && ask !== READ);
      expect(done ? [200, 500] : [500]).toContain(status);
      expect(rig.upstream.requests).toHaveLength(1);
    },
  );

  it('an API server whose error messages hold a token has none of them passed on or logged', async () => {
    for (const one of [rig, shortTimeout]) {
      expect(await outputOf(one)).not.toMatch(/canary|SECRET/);
      expect(one.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    }
  });
});
