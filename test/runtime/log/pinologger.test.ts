import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../src/runtime/log/pinologger.js';
import { ApiError } from '../../../src/runtime/errors.js';
import type { Logger } from '../../../src/runtime/logger.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const KEY = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----';

/** The lines, parsed, that `write` leaves in a log of `level`. */
function linesOf(write: (log: Logger) => void, level = 'debug'): unknown[] {
  const lines: unknown[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  write(createLogger({ level, clock: new ManualClock(), destination }));
  return lines;
}

function printed(fields: object): unknown {
  return linesOf((log) => log.info({ fields }, 'x'))[0];
}

describe('the log', () => {
  it('the log writes JSON lines with the level as a word, the time in RFC 3339 and the message', () => {
    const lines = linesOf((log) => {
      log.debug({}, 'one');
      log.info({ n: 1 }, 'two');
      log.warn({}, 'three');
      log.child({ controller: 'placement' }).child({ name: 'p' }).error({ n: 4 }, 'four');
    });

    const ts = '2026-01-01T00:00:00.000Z';
    expect(lines).toEqual([
      { level: 'debug', ts, msg: 'one' },
      { level: 'info', ts, n: 1, msg: 'two' },
      { level: 'warn', ts, msg: 'three' },
      { level: 'error', ts, controller: 'placement', name: 'p', n: 4, msg: 'four' },
    ]);
  });

  it('the log warns of lines that its destination has dropped, once it has recovered', () => {
    const lines: unknown[] = [];
    let recover = (_lines: number): void => undefined;
    createLogger({
      level: 'info',
      clock: new ManualClock(),
      destination: {
        write: (line) => void lines.push(JSON.parse(line)),
        onRecovered: (report) => (recover = report),
      },
    });

    recover(3);

    const msg = 'log lines were dropped, because they could not be written';
    expect(lines).toEqual([{ level: 'warn', ts: '2026-01-01T00:00:00.000Z', lines: 3, msg }]);
  });

  it('the log writes nothing below its level', () => {
    expect(linesOf((log) => log.info({}, 'x'), 'warn')).toEqual([]);
  });

  it('the log writes an error with its type, kind, call and causes, and its cause', () => {
    const error = new ApiError({
      kind: 'Conflict',
      message: 'changed',
      call: { verb: 'update', resource: 'things', name: 'a' },
      status: 409,
    });
    error.cause = new Error('inner');

    expect(linesOf((log) => log.error({ err: error }, 'x'))).toMatchObject([
      {
        err: {
          type: 'ApiError',
          kind: 'Conflict',
          message: 'changed',
          status: 409,
          call: { verb: 'update', resource: 'things', name: 'a' },
          cause: { type: 'Error', message: 'inner', stack: expect.stringContaining('inner') },
        },
      },
    ]);
    expect(linesOf((log) => log.error({ err: error }, 'x'))).not.toMatchObject([{ err: { stack: expect.anything() } }]);
  });

  it('the log writes the code of a connection that failed, and not the error, which may have bytes of the server', () => {
    const cause = Object.assign(new Error('no HTTP'), { data: 'bytes of the server' });
    const call = { verb: 'list', resource: 'things' };
    const error = new ApiError({ kind: 'Transport', message: 'no response', call, code: 'HPE_INVALID_VERSION', cause });
    const [line] = linesOf((log) => log.error({ err: error }, 'x'));

    expect(line).toMatchObject({ err: { kind: 'Transport', code: 'HPE_INVALID_VERSION', message: 'no response' } });
    expect(JSON.stringify(line)).not.toContain('bytes');
  });

  it('the log writes each error of an AggregateError', () => {
    const error = new AggregateError([new Error('a'), new Error(`b Bearer ${TOKEN}`)], 'two failed');

    expect(linesOf((log) => log.error({ err: error }, 'x'))).toMatchObject([
      { err: { type: 'AggregateError', errors: [{ message: 'a' }, { message: 'b [redacted]' }] } },
    ]);
  });

  it.each([
    'token',
    'bearerToken',
    'serviceAccountToken',
    'Authorization',
    'proxyAuthorisation',
    'password',
    'passwd',
    'clientSecret',
    'secrets',
    'cookie',
    'set-cookie',
    'credentials',
    'privateKey',
    'private_key',
    'api-key',
    'kubeconfig',
    'data',
    'stringData',
    'binaryData',
    'headers',
    'rawHeaders',
    'body',
  ])('the log never prints the value of %s at any depth', (key) => {
    const inChild = linesOf((log) => log.child({ [key]: 'hidden' }).info({}, 'x'));
    const inError = linesOf((log) =>
      log.error({ err: Object.assign(new Error('x'), { [key]: { a: 'hidden' } }) }, 'x'),
    );

    for (const text of [printed({ [key]: 'hidden', list: [{ [key]: ['hidden'] }] }), inChild, inError]) {
      expect(JSON.stringify(text)).not.toContain('hidden');
      expect(JSON.stringify(text)).toContain('[redacted]');
    }
  });

  it.each([
    ['a bearer token', `sent Bearer ${TOKEN}, refused`, 'sent [redacted], refused'],
    ['a JSON web token', `got "${TOKEN}"`, 'got "[redacted]"'],
    ['a private key', `key ${KEY} here`, 'key [redacted] here'],
    ['half a private key', `key ${KEY.slice(0, 40)}`, 'key [redacted]'],
    [
      'nothing secret',
      'the token of the ServiceAccount default/x was refused',
      'the token of the ServiceAccount default/x was refused',
    ],
  ])('the log prints a text with %s without it', (_name, text, expected) => {
    const error = new Error(text);

    expect(printed({ text })).toMatchObject({ fields: { text: expected } });
    expect(printed({ error })).toMatchObject({ fields: { error: { message: expected } } });
  });

  it.each<[string, unknown, unknown]>([
    [
      'a map',
      new Map([
        ['token', 'x'],
        ['a', 'b'],
      ]),
      { token: '[redacted]', a: 'b' },
    ],
    ['a set', new Set(['a']), ['a']],
    ['a date', new Date('2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.000Z'],
    ['a broken date', new Date(NaN), 'Invalid Date'],
    ['a big integer', 2n ** 70n, '1180591620717411303424'],
    ['bytes', Buffer.from('secret'), '[redacted]'],
    ['null', null, null],
    ['a number', 1.5, 1.5],
  ])('the log prints %s as JSON', (_name, value, expected) => {
    expect(printed({ value })).toMatchObject({ fields: { value: expected } });
  });

  it('the log omits functions and symbols', () => {
    expect(printed({ f: () => 1, s: Symbol('x'), a: 1 })).toMatchObject({ fields: { a: 1 } });
  });

  it('the log truncates circular, deep and long values', () => {
    const loop: Record<string, unknown> = { name: 'loop' };
    loop['self'] = loop;
    const wide = Array.from({ length: 5_000 }, (_, n) => ({ n, inner: Array.from({ length: 100 }, () => ({ loop })) }));

    const text = JSON.stringify(printed({ loop, wide }));

    expect(text).toContain('[cut]');
    expect(text.length).toBeLessThan(200_000);
  });
});
