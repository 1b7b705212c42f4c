import { expect } from '@jest/globals';
import type { Cache, CacheOptions } from '../../../src/runtime/cache/cache.js';
import { createCache } from '../../../src/runtime/cache/reflector.js';
import type { Change } from '../../../src/runtime/cache/store.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { ScriptedApi, configMaps } from './scriptedapi.js';
import type { Thing } from './scriptedapi.js';

/** A cache over a scripted API on a clock that stands still. */
export class CacheRig {
  readonly api: ScriptedApi;
  readonly clock = new ManualClock();
  readonly log = new RecordingLog();
  readonly cache: Cache<Thing>;
  readonly changes: Change<Thing>[] = [];
  readonly failures: string[] = [];
  readonly states: boolean[] = [];

  constructor(options: Partial<CacheOptions<Thing>> = {}, api = new ScriptedApi(), chance = 0) {
    this.api = api;
    this.cache = createCache<Thing>(
      api,
      { ...configMaps, ...options },
      {
        clock: this.clock,
        random: () => chance,
        log: this.log,
        metrics: {
          listed: () => undefined,
          failed: (_, kind) => void this.failures.push(kind),
          broken: () => void this.failures.push('broken'),
        },
      },
    );
    this.cache.onChange((change) => void this.changes.push(change));
    this.cache.onState(() => void this.states.push(this.cache.current()));
  }

  /** Starts and waits for the first watch. */
  async begin(): Promise<this> {
    this.cache.start();
    await this.until(() => this.api.watches.length > 0);
    return this;
  }

  /** Lets things happen without time passing until `reached`. */
  async until(reached: () => boolean): Promise<void> {
    for (let round = 0; round < 500 && !reached(); round++) await settle();
    expect(reached()).toBe(true);
  }

  /** Lets time pass, second by second, until `reached`; the seconds that it took. */
  async within(seconds: number, reached: () => boolean): Promise<number> {
    for (let passed = 0; passed < seconds; passed++) {
      await settle();
      if (reached()) return passed;
      await this.clock.advance(1_000);
    }
    await settle();
    expect(reached()).toBe(true);
    return seconds;
  }

  get names(): string[] {
    return [...this.cache.store.values()].map((one) => one.metadata.name).sort();
  }

  /** The changes as `+name`, `~name`, `-name`, `=name` (made anew), and forgets them. */
  take(): string[] {
    return this.changes.splice(0).map(({ before, after }) => {
      if (before === undefined) return `+${after?.metadata.name}`;
      if (after === undefined) return `-${before.metadata.name}`;
      return `${before.metadata.uid === after.metadata.uid ? '~' : '='}${after.metadata.name}`;
    });
  }
}
