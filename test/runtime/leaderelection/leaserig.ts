import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Leases } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { LEASE_TIMES, LeaderElector } from '../../../src/runtime/leaderelection/leaderelector.js';
import type { Lease } from '../../../src/runtime/leaderelection/leaserecord.js';
import type { Clock } from '../../../src/runtime/clock.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi, failure } from '../../support/fakes/api.js';
import type { FakeCache } from '../../support/fakes/cache.js';
import { RecordingLog } from '../../support/fakes/log.js';

export const NAME = { namespace: 'n', name: 'lease' };

/** Servers that are just carrying out an apply: two at the same moment do not both succeed. */
const creating = new Set<FakeApi>();

type LeaseClient = Pick<KubeClient, 'get' | 'apply' | 'update'>;

/** One process that wants the lease: its connection may fail or hang, and it may stand still. */
export class Candidate {
  /** What happens to each of its calls before it reaches the server. */
  fault: 'none' | 'hang' | FailureKind = 'none';
  /** What happens to each of its answers. */
  answer: 'none' | 'hang' = 'none';
  readonly elector: LeaderElector;
  readonly caches: FakeCache<Lease>[] = [];
  readonly reported: boolean[] = [];
  readonly log = new RecordingLog();
  lost: AbortSignal | undefined;
  failure: unknown;
  /** While its process stands still: what it would have done. */
  #still: (() => void)[] | undefined;

  constructor(world: LeaseRig, identity: string, annotations?: Readonly<Record<string, string>>) {
    const clock: Clock = {
      now: () => world.clock.now() + world.wallOffsetMs,
      monotonic: () => world.clock.monotonic(),
      after: (ms, run) => world.clock.after(ms, () => this.#whenAwake(run)),
    };
    const watch = (): FakeCache<Lease> => {
      const cache = world.api.cache<Lease>({ type: Leases });
      this.caches.push(cache);
      return cache;
    };
    this.elector = new LeaderElector(
      {
        name: NAME,
        identity,
        annotations,
        fieldManager: 'example-lease',
        times: LEASE_TIMES,
        client: this.#client(world.api),
        clock,
        random: () => 0,
        log: this.log,
      },
      watch,
      { leader: (_, held) => void this.reported.push(held) },
    );
  }

  /** Begins to wait; `lost` is set when the lease is held, `failure` when waiting ends without it. */
  start(signal = new AbortController().signal): this {
    this.elector.acquire(signal).then(
      (lost) => (this.lost = lost),
      (error: unknown) => (this.failure = error),
    );
    return this;
  }

  /** Its process stands still, as with SIGSTOP: time goes on, its timers, events and answers wait. */
  freeze(): void {
    this.#still ??= [];
    for (const cache of this.caches) cache.pause();
  }

  /** It goes on, and everything that waited happens at once. */
  thaw(): void {
    const waited = this.#still ?? [];
    this.#still = undefined;
    for (const run of waited) run();
    for (const cache of this.caches) cache.deliver();
  }

  #whenAwake(run: () => void): void {
    if (this.#still === undefined) run();
    else this.#still.push(run);
  }

  #client(api: FakeApi): LeaseClient {
    const pass = async <T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> => {
      if (this.fault !== 'none') await this.#fail(this.fault, signal);
      const answer = await call();
      if (this.answer === 'hang') await this.#fail('hang', signal);
      if (this.#still !== undefined) await new Promise<void>((resolve) => this.#whenAwake(resolve));
      return answer;
    };
    return {
      get: (type, name, options) => pass(options?.signal, () => api.get(type, name, options)),
      apply: (type, object, options) =>
        pass(options.signal, async () => {
          // Another field manager's apply of what is there already is a conflict.
          if (creating.has(api) || api.peek(type, object.metadata) !== undefined)
            throw failure('Conflict', 'apply', type, object.metadata);
          creating.add(api);
          return api.apply(type, object, options).finally(() => creating.delete(api));
        }),
      update: (type, object, options) => pass(options.signal, () => api.update(type, object, options)),
    };
  }

  async #fail(fault: 'hang' | FailureKind, signal: AbortSignal | undefined): Promise<void> {
    const call = { verb: 'update', resource: 'leases' };
    if (fault === 'hang') {
      await new Promise<void>((resolve) => {
        if (signal?.aborted === true) resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
      throw new ApiError({ kind: 'Aborted', message: 'aborted', call });
    }
    throw new ApiError({ kind: fault, message: fault, call });
  }
}

export class LeaseRig {
  readonly clock = new ManualClock();
  readonly api = new FakeApi(this.clock);
  /** How wrong everybody's wall clock is. */
  wallOffsetMs = 0;

  contender(identity: string, annotations?: Readonly<Record<string, string>>): Candidate {
    return new Candidate(this, identity, annotations);
  }

  /** A contender that holds the lease. */
  async holder(identity: string, annotations?: Readonly<Record<string, string>>): Promise<Candidate> {
    const contender = this.contender(identity, annotations).start();
    await settle();
    return contender;
  }

  get lease(): Lease | undefined {
    return this.api.peek<Lease>(Leases, NAME);
  }

  get holderIdentity(): string | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  /** Somebody else writes the lease. */
  write(spec: Lease['spec'], metadata: Partial<KubeObject['metadata']> = {}): void {
    const stored = this.lease;
    this.api.put<Lease>(Leases, {
      metadata: { ...NAME, ...stored?.metadata, ...metadata },
      spec: { ...stored?.spec, ...spec },
    });
  }

  remove(): void {
    this.api.remove(Leases, NAME);
  }

  get writes(): number {
    return this.api.writes.length;
  }
}
