import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call } from '../../../src/runtime/transport/call.js';
import type { Transport, TransportOptions } from '../../../src/runtime/transport/transport.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { parseRetryAfter, waitBeforeRetry, RetryAfter, TokenBucket } from '../../../src/runtime/transport/retry.js';
import { ApiError } from '../../../src/runtime/errors.js';
import type { FailureKind } from '../../../src/runtime/errors.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ScriptedServer, refusal, success } from './scriptedserver.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('a Retry-After header', () => {
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['0', 0],
    ['1', 1_000],
    ['30', 30_000],
    ['61', 60_000],
    ['1000000000', 60_000],
    ['99999999999999999999999999', 60_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-01-01T00:00:05Z', undefined],
    ['Xyz, 99 Abc 2026 99:99:99 GMT', undefined],
  ])('the Retry-After header "%s" is parsed as %s ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });

  it('a Retry-After header given twice counts the first time', () => {
    expect(parseRetryAfter(['2', '30'], NOW)).toBe(2_000);
  });
});

describe('the delay before a retry', () => {
  function failedTry(
    kind: FailureKind,
    more: { retryAfterMs?: number; attempt?: number; unsent?: boolean } = {},
  ): Parameters<typeof waitBeforeRetry>[0] {
    const { attempt = 1, unsent = false, ...rest } = more;
    return {
      error: new ApiError({ kind, message: '', call: { verb: 'get', resource: 'x' }, ...rest }),
      attempt,
      unsent,
    };
  }

  it.each<[FailureKind, boolean, number | undefined, number | undefined]>([
    ['Throttled', false, 1_000, 1_000],
    ['Unavailable', false, 100, undefined],
    ['Malformed', false, 100, undefined],
    ['Transport', false, 100, undefined],
    ['Transport', true, 100, 100],
    ['Conflict', false, undefined, undefined],
    ['Forbidden', false, undefined, undefined],
    ['NotFound', false, undefined, undefined],
    ['Aborted', false, undefined, undefined],
    ['Fenced', false, undefined, undefined],
    ['Guarded', false, undefined, undefined],
  ])(
    'the delay before a retry of %s (unsent: %s) is %s ms when idempotent, else %s',
    (kind, unsent, idempotent, other) => {
      expect(waitBeforeRetry(failedTry(kind, { unsent }), true, () => 0)).toBe(idempotent);
      expect(waitBeforeRetry(failedTry(kind, { unsent }), false, () => 0)).toBe(other);
    },
  );

  it('the delay before a retry doubles to five seconds, give or take a half', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
      waitBeforeRetry(failedTry('Transport', { attempt }), true, () => 0.5),
    );

    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it.each(['Throttled', 'Unavailable'] as const)(
    'the delay before a retry of %s is never shorter than Retry-After, and up to a tenth longer',
    (kind) => {
      expect(waitBeforeRetry(failedTry(kind, { retryAfterMs: 10_000 }), true, () => 0)).toBe(10_000);
      expect(waitBeforeRetry(failedTry(kind, { retryAfterMs: 10_000 }), true, () => 0.99)).toBeCloseTo(10_990);
    },
  );
});

describe('a token bucket', () => {
  it('a token bucket admits a burst at once and then its rate, in order', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 3 });
    const gone: number[] = [];
    for (let index = 0; index < 6; index++) void bucket.take().then(() => gone.push(index));
    await settle();
    expect(gone).toEqual([0, 1, 2]);

    await clock.advance(100);
    expect(gone).toEqual([0, 1, 2, 3]);
    await clock.advance(200);
    expect(gone).toEqual([0, 1, 2, 3, 4, 5]);
    expect(clock.pending).toBe(0);
  });

  it('a token bucket accumulates no more than its burst', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 3 });
    await clock.advance(60_000);
    let gone = 0;
    for (let index = 0; index < 10; index++) void bucket.take().then(() => (gone += 1));
    await settle();

    expect(gone).toBe(3);
    await clock.advance(1_000);
  });

  it('a token bucket removes an aborted waiter and serves the next', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { qps: 1, burst: 1 });
    const stop = new AbortController();
    await bucket.take();
    const first = bucket.take(stop.signal);
    let second = false;
    void bucket.take().then(() => (second = true));
    stop.abort(new Error('enough'));

    await expect(first).rejects.toThrow('enough');
    await clock.advance(1_000);
    expect(second).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('a token bucket has no timer after all waiters were aborted', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { qps: 1, burst: 1 });
    const stop = new AbortController();
    await bucket.take();
    const waiting = bucket.take(stop.signal);
    stop.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('a rate-limited transport', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let transport: Transport;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    clock = new ManualClock();
    transport = transportWith({});
  });
  afterEach(async () => {
    await transport.close();
    await server.stop();
    expect(clock.pending).toBe(0);
  });

  function transportWith(options: Partial<TransportOptions>): Transport {
    const load = async (): Promise<never> =>
      ({ server: server.url, headers: {}, tls: { rejectUnauthorized: true } }) as never;
    return createTransport(
      { load },
      { clock, random: () => 0, log: new RecordingLog(), userAgent: 'test', ...options },
    );
  }
  const call = (path: string, more: Partial<Call> = {}): Promise<unknown> =>
    transport.call({ method: 'GET', path, target: { verb: 'get', resource: 'x' }, idempotent: true, ...more });
  const seen = (count: number): Promise<boolean> => waitFor(`request ${count}`, () => server.seen.length === count);

  it.each([
    ['1', 1_000],
    ['10', 10_000],
    ['Thu, 01 Jan 2026 00:00:08 GMT', 8_000],
  ])('a rate-limited transport sends nothing again before Retry-After %s', async (header, ms) => {
    server.next(refusal(429, 'TooManyRequests', { 'retry-after': header }), success());
    const calling = call('/a');
    await seen(1);
    await waitFor('the wait to begin', () => clock.nextIn === ms);
    await clock.advance(ms - 1);
    expect(server.seen).toHaveLength(1);
    await clock.advance(1);
    await calling;

    expect(server.seen).toHaveLength(2);
  });

  it('a rate-limited transport delays the same call of other callers, and no other call', async () => {
    server.next(refusal(429, 'TooManyRequests', { 'retry-after': '5' }));
    await expect(call('/a', { attempts: 1 })).rejects.toMatchObject({ kind: 'Throttled', retryAfterMs: 5_000 });

    const held = call('/a');
    await call('/b');
    await call('/a', { method: 'DELETE' });
    expect(server.seen.map((one) => `${one.method} ${one.url}`)).toEqual(['GET /a', 'GET /b', 'DELETE /a']);
    await clock.advance(5_000);
    await held;
    expect(server.seen).toHaveLength(4);
  });

  it('a rate-limited transport fails at once, without sending, a call that would have to wait longer than its deadline', async () => {
    server.next(refusal(503, '', { 'retry-after': '3600' }));
    await expect(call('/a')).rejects.toMatchObject({ kind: 'Unavailable', retryAfterMs: 60_000 });
    await clock.advance(20_000);

    await expect(call('/a')).rejects.toMatchObject({ kind: 'Throttled', status: 0, retryAfterMs: 40_000 });
    expect(server.seen).toHaveLength(1);
    await clock.advance(40_000);
    await call('/a');
    expect(server.seen).toHaveLength(2);
  });

  it('a rate-limited transport ignores an invalid Retry-After and uses its backoff', async () => {
    server.next(refusal(429, 'TooManyRequests', { 'retry-after': 'soon' }), success());
    const calling = call('/a');
    await waitFor('the wait to begin', () => clock.nextIn === 1_000);
    await clock.advance(1_000);
    await calling;

    expect(server.seen).toHaveLength(2);
  });

  it("a rate-limited transport ends a wait with the caller's signal", async () => {
    server.next(refusal(429, 'TooManyRequests', { 'retry-after': '5' }));
    const stop = new AbortController();
    const calling = call('/a', { signal: stop.signal });
    await waitFor('the wait to begin', () => clock.nextIn === 5_000);
    stop.abort();

    await expect(calling).rejects.toMatchObject({ kind: 'Aborted' });
  });

  it('a rate-limited transport sends 200 calls at once and 100 a second after that, by default', async () => {
    const calls = Promise.all(Array.from({ length: 250 }, () => call('/a')));
    await seen(200);
    await settle();
    expect(server.seen).toHaveLength(200);

    await clock.advance(500);
    await calls;
    expect(server.seen).toHaveLength(250);
  });

  it('a rate-limited transport keeps leases and events apart from everything else', async () => {
    await transport.close();
    transport = transportWith({ limits: { default: { qps: 1, burst: 1 }, events: { qps: 1, burst: 1 } } });
    const stop = new AbortController();
    await call('/work');
    await call('/event', { bucket: 'events' });
    const waiting = [call('/work', { signal: stop.signal }), call('/event', { bucket: 'events', signal: stop.signal })];
    await call('/lease', { bucket: 'leases' });
    stop.abort();

    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(server.seen.map((one) => one.url)).toEqual(['/work', '/event', '/lease']);
  });

  it('a rate-limited transport ends every call after 15 s at the latest', async () => {
    server.otherwise = () => undefined;
    const outcome = call('/a', { deadlineMs: 60_000 }).catch((error: unknown) => error);
    await seen(1);
    await clock.advance(14_999);
    await settle();
    const before = clock.pending;
    await clock.advance(1);

    expect(before).toBe(1);
    expect(await outcome).toMatchObject({ kind: 'Transport' });
  });
});

it('expired Retry-After entries are removed', async () => {
  const clock = new ManualClock();
  const pauses = new RetryAfter(clock);
  for (let index = 0; index < 5_000; index++) {
    pauses.set(`GET /${index}`, 1_000);
    await clock.advance(10);
  }

  expect(pauses.size).toBeLessThanOrEqual(1_000);
  expect(pauses.remainingMs('GET /4999')).toBe(990);
  expect(pauses.remainingMs('GET /0')).toBe(0);
});
