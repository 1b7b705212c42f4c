import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { exitOnCrash, runUntilSignalled, type Host, type Runnable } from '../../../src/runtime/process/lifecycle.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';

/** A process that only records its exit code. */
class FakeHost extends EventEmitter implements Host {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

/** A part that ends when its signal fires or when the test ends it. */
function part(name: string, clean = true, obeys = true) {
  let end = (): void => undefined;
  const runnable: Runnable = {
    name,
    run: (signal) =>
      new Promise((resolve) => {
        end = () => resolve(clean);
        if (obeys) signal.addEventListener('abort', () => resolve(clean));
      }),
  };
  return { runnable, end: () => end() };
}

function bench() {
  const host = new FakeHost();
  const clock = new ManualClock();
  const log = new RecordingLog();
  return { host, clock, log, options: { host, clock, log } };
}

describe('a process', () => {
  it.each(['SIGTERM', 'SIGINT'])('a process ends with 0 after %s when every part ended cleanly', async (signal) => {
    const { host, options, clock } = bench();
    const code = runUntilSignalled([part('a').runnable, part('b').runnable], options);
    await settle();

    host.emit(signal);

    expect(await code).toBe(0);
    expect(host.exits).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(host.eventNames()).toEqual([]);
  });

  it('a process ends with 1 when a part did not end cleanly', async () => {
    const { host, options } = bench();
    const code = runUntilSignalled([part('a').runnable, part('b', false).runnable], options);

    host.emit('SIGTERM');

    expect(await code).toBe(1);
  });

  it('a process ends the other parts, and with 1, when one ends by itself', async () => {
    const { options, log } = bench();
    const a = part('a');
    const code = runUntilSignalled([a.runnable, part('b').runnable], options);

    a.end();

    expect(await code).toBe(1);
    expect(log.lines).toEqual([
      { level: 'error', message: 'a part of the process has ended, shutting down', fields: { part: 'a' } },
    ]);
  });

  it('a process exits at once at a second signal', async () => {
    const { host, options } = bench();
    const slow = part('slow', true, false);
    const code = runUntilSignalled([slow.runnable], options);

    host.emit('SIGTERM');
    const first = [...host.exits];
    host.emit('SIGINT');
    const second = [...host.exits];
    slow.end();
    await code;

    expect(first).toEqual([]);
    expect(second).toEqual([1]);
  });

  it('a process exits within 10 s of the signal whatever hangs', async () => {
    const { host, options, clock, log } = bench();
    void runUntilSignalled([part('stuck', true, false).runnable], options);
    host.emit('SIGTERM');

    await clock.advance(9_499);
    const before = [...host.exits];
    await clock.advance(500);

    expect(before).toEqual([]);
    expect(host.exits).toEqual([1]);
    expect(log.lines.at(-1)?.message).toBe('shutdown took too long, exiting');
  });

  it.each([
    ['uncaughtException', new Error('boom'), new Error('boom')],
    ['unhandledRejection', new Error('boom'), new Error('boom')],
    ['unhandledRejection', 'just text', new Error('a value that is not an Error was thrown: just text')],
    ['unhandledRejection', undefined, new Error('a value that is not an Error was thrown: undefined')],
  ])('a process exits with 1 and one log line at an %s of %p', (event, cause, err) => {
    const { host, log } = bench();
    exitOnCrash(host, log);

    host.emit(event, cause);

    expect(host.exits).toEqual([1]);
    expect(log.lines).toEqual([{ level: 'error', message: 'crashed, exiting', fields: { err, event } }]);
  });
});
