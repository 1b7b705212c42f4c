import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import type { Controller } from '../../../src/runtime/controller/controller.js';
import { Group, type GroupOptions, type CacheSource } from '../../../src/runtime/manager/manager.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';

/** A gate that a test opens, and that a signal may break. */
class Gate {
  #open = (): void => undefined;
  #opened = new Promise<void>((resolve) => (this.#open = resolve));

  open(): void {
    this.#open();
  }

  close(): void {
    this.#opened = new Promise<void>((resolve) => (this.#open = resolve));
  }

  pass(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(new Error('gate left'));
      signal?.addEventListener('abort', leave, { once: true });
      void this.#opened.then(() => {
        signal?.removeEventListener('abort', leave);
        resolve();
      });
    });
  }
}

/** A group of one cache, one controller and one lease, each controlled by the test, and the record of what happened. */
function bench(options: Partial<GroupOptions> = {}) {
  const clock = new ManualClock();
  const log = new RecordingLog();
  const happened: string[] = [];
  const sync = new Gate();
  const lease = new Gate();
  const passes = new Gate();
  passes.open();
  let term = new AbortController();
  let longestSeconds = 0;
  const source: CacheSource = {
    start: () => void happened.push('cache starts'),
    whenSynced: (signal) => sync.pass(signal),
    stop: async () => void happened.push('cache stops'),
  };
  const election: GroupOptions['election'] = {
    acquire: async (signal) => {
      happened.push('lease wanted');
      await lease.pass(signal);
      lease.close();
      term = new AbortController();
      return term.signal;
    },
    release: async () => void happened.push('lease released'),
  };
  const controller: Controller = {
    name: 'things',
    add: () => undefined,
    addAfter: () => undefined,
    start: () => void happened.push('work begins'),
    stop: async (drainMs) => {
      happened.push(`work stops, ${drainMs} ms`);
      await passes.pass();
      happened.push('last pass ended');
    },
    running: () => ({ unfinishedSeconds: longestSeconds, longestSeconds }),
  };
  const group = new Group({
    name: 'g',
    sources: [source],
    election,
    controllers: [controller],
    clock,
    log,
    ...options,
  });
  const stop = new AbortController();
  const lose = (): void => term.abort(new Error('lost'));
  const hang = (seconds: number): void => void (longestSeconds = seconds);
  return { clock, log, happened, sync, lease, passes, group, stop, lose, hang, source, election, controller };
}

const SHUTDOWN = ['work stops, 4000 ms', 'last pass ended', 'cache stops', 'lease released'];

describe('a group', () => {
  it('a group syncs its caches, then waits for the lease, then starts its controllers', async () => {
    const { group, happened, sync, lease, stop } = bench();

    void group.run(stop.signal);
    await settle();
    const unsynced = [[...happened], group.readiness().check()];
    sync.open();
    await settle();
    const synced = [[...happened], group.readiness().check()];
    lease.open();
    await settle();

    expect(unsynced).toEqual([['cache starts'], 'not synced yet']);
    expect(synced).toEqual([['cache starts', 'lease wanted'], undefined]);
    expect(happened).toEqual(['cache starts', 'lease wanted', 'work begins']);
  });

  it('Node prints no warning while many caches of a group wait', () => {
    // Jest hides the warnings of its own process.
    const program = `
      import { Group } from ${JSON.stringify(new URL('../../../src/runtime/manager/manager.js', import.meta.url))};
      const source = {
        start() {},
        stop() {},
        whenSynced: (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
      };
      const log = { child: () => log, info() {}, warn() {}, error() {} };
      const sources = Array(12).fill(source);
      void new Group({ name: 'g', sources, controllers: [], log }).run(new AbortController().signal);
      setImmediate(() => process.exit(0));
    `;

    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });

    expect([status, stderr]).toEqual([0, '']);
  });

  it('a group is unready once a cache has been failing for a minute, and ready again when none is', async () => {
    const { group, clock, sync, stop, source } = bench();
    let failure: Error | undefined;
    source.failure = () => failure;
    sync.open();
    void group.run(stop.signal);
    await settle();

    const check = group.readiness();
    const sound = check.check();
    failure = new Error('list things: 401');
    const atFirst = check.check();
    await clock.advance(59_999);
    const before = check.check();
    await clock.advance(1);
    const after = check.check();
    failure = undefined;
    const cured = check.check();
    failure = new Error('again');

    expect([sound, atFirst, before, after, cured, check.check()]).toEqual([
      undefined,
      undefined,
      undefined,
      'list things: 401',
      undefined,
      undefined,
    ]);
  });

  it('a group drains, stops its caches and releases the lease last when it is aborted', async () => {
    const { group, happened, sync, lease, passes, stop } = bench();
    sync.open();
    lease.open();
    passes.close();
    const end = group.run(stop.signal);
    await settle();
    happened.length = 0;

    stop.abort();
    await settle();
    const during = [...happened];
    passes.open();

    expect(await end).toBe(true);
    expect(during).toEqual(['work stops, 4000 ms']);
    expect(happened).toEqual(SHUTDOWN);
  });

  it('a group flushes events after the last reconcile and before the release', async () => {
    const order: string[] = [];
    const { group, happened, sync, lease, stop } = bench({
      onDrained: async () => void order.push(happened.at(-1) ?? ''),
    });
    sync.open();
    lease.open();
    const end = group.run(stop.signal);
    await settle();

    stop.abort();
    await end;

    expect(order).toEqual(['last pass ended']);
  });

  it('a group aborts its passes when the lease is lost, waits for them and for the lease, and starts again', async () => {
    const { group, happened, sync, lease, passes, lose, stop } = bench();
    sync.open();
    lease.open();
    passes.close();
    void group.run(stop.signal);
    await settle();
    happened.length = 0;

    lose();
    await settle();
    const lost = [...happened];
    passes.open();
    await settle();
    const waiting = [...happened];
    lease.open();
    await settle();

    expect(lost).toEqual(['work stops, 0 ms']);
    expect(waiting).toEqual(['work stops, 0 ms', 'last pass ended', 'lease wanted']);
    expect(happened.at(-1)).toBe('work begins');
  });

  it('a group leaves no listener on the signal of the process after any number of lost leases', async () => {
    const { group, happened, sync, lease, lose, stop } = bench({ onStartedLeading: () => undefined });
    sync.open();
    lease.open();
    void group.run(stop.signal);
    await settle();
    lose();
    await settle();
    const once = getEventListeners(stop.signal, 'abort').length;
    for (let count = 0; count < 12; count += 1) {
      lease.open();
      await settle();
      lose();
      await settle();
    }

    expect(happened.filter((what) => what === 'work begins')).toHaveLength(13);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(once);
  });

  it('a group calls onStartedLeading before its controllers start in each term', async () => {
    const calls: string[] = [];
    const { group, happened, sync, lease, lose, stop } = bench({
      onStartedLeading: () => void calls.push(happened.at(-1) ?? ''),
    });
    sync.open();
    lease.open();
    void group.run(stop.signal);
    await settle();
    lose();
    lease.open();
    await settle();

    expect(calls).toEqual(['lease wanted', 'lease wanted']);
  });

  it('a group does not start its controllers when the lease was lost before', async () => {
    const { group, happened, sync, lease, lose, stop } = bench({ onStartedLeading: async () => lose() });
    sync.open();
    lease.open();

    void group.run(stop.signal);
    await settle();

    expect(happened).not.toContain('work begins');
  });

  it.each([
    ['its caches are not filled', (bed: ReturnType<typeof bench>) => bed],
    ['it waits for the lease', (bed: ReturnType<typeof bench>) => (bed.sync.open(), bed)],
  ])('a group ends cleanly while %s', async (_name, prepare) => {
    const { group, happened, stop, log } = prepare(bench());
    const end = group.run(stop.signal);
    await settle();

    stop.abort();

    expect(await end).toBe(true);
    expect(happened.slice(-SHUTDOWN.length)).toEqual(SHUTDOWN);
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('a group ends while onStartedLeading hangs', async () => {
    const { group, sync, lease, stop } = bench({ onStartedLeading: () => new Promise(() => undefined) });
    sync.open();
    lease.open();
    const end = group.run(stop.signal);
    await settle();

    stop.abort();

    expect(await end).toBe(true);
  });

  it('a group ends while passes of a lost lease still run, and waits for them', async () => {
    const { group, happened, sync, lease, passes, lose, stop } = bench();
    sync.open();
    lease.open();
    passes.close();
    const end = group.run(stop.signal);
    await settle();
    lose();
    await settle();

    stop.abort();
    await settle();
    const released = happened.includes('lease released');
    passes.open();

    expect(released).toBe(false);
    expect(await end).toBe(true);
  });

  it('a group leaves the lease to expire when a pass would not end', async () => {
    const sent: string[] = [];
    const { group, happened, sync, lease, passes, stop, clock } = bench({
      onDrained: async () => void sent.push('events'),
    });
    sync.open();
    lease.open();
    passes.close();
    const end = group.run(stop.signal);
    await settle();

    stop.abort();
    await clock.advance(5_000);

    expect(await end).toBe(false);
    expect(sent).toEqual([]);
    expect(happened).toContain('cache stops');
    expect(happened).not.toContain('lease released');
  });

  it.each<[string, (bed: ReturnType<typeof bench>) => Partial<GroupOptions>]>([
    ['the release hangs', (bed) => ({ election: { ...bed.election, release: () => new Promise(() => undefined) } })],
    ['the release fails', (bed) => ({ election: { ...bed.election, release: () => Promise.reject(new Error('no')) } })],
    ['a cache would not stop', (bed) => ({ sources: [{ ...bed.source, stop: () => new Promise(() => undefined) }] })],
  ])('a group ends, not cleanly, within 9 s when %s', async (_name, change) => {
    const bed = bench();
    const group = new Group({
      name: 'g',
      sources: [bed.source],
      election: bed.election,
      controllers: [bed.controller],
      clock: bed.clock,
      log: bed.log,
      ...change(bed),
    });
    bed.sync.open();
    bed.lease.open();
    const end = group.run(bed.stop.signal);
    await settle();

    bed.stop.abort();
    await bed.clock.advance(9_000);

    expect(await end).toBe(false);
    expect(bed.clock.pending).toBe(0);
  });

  it('a group ends by itself, with one line in the log, after an unrecoverable error', async () => {
    const broken = new Error('broken');
    const { group, happened, sync, lease, stop, log } = bench({ onStartedLeading: () => Promise.reject(broken) });
    sync.open();
    lease.open();

    expect(await group.run(stop.signal)).toBe(false);
    expect(happened.slice(-SHUTDOWN.length)).toEqual(SHUTDOWN);
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([
      { level: 'error', message: 'group failed', fields: { group: 'g', err: broken } },
    ]);
  });

  it.each([
    [599, undefined],
    [600, 'a reconcile of things has been running for 600 s'],
  ])('a group with a pass of %i s is alive: %s', (seconds, reason) => {
    const { group, hang } = bench();
    hang(seconds);

    expect(group.liveness().name).toBe('g-reconciles');
    expect(group.liveness().check()).toBe(reason);
  });
});
