import { delay, within, type Clock, type Random } from '../runtime/clock.js';
import { withoutHere } from '../runtime/connection/certificatetext.js';
import { errorText } from '../runtime/errors.js';
import type { Logger } from '../runtime/logger.js';
import type { Home } from './home.js';
import { claimsOf, type Claims } from '../domain/agent/report/claims.js';
import {
  afterProbe,
  PROBE_PERIOD_MS,
  type ControlPlaneState,
  reportOf,
  type ClientConfig,
  type ClusterReport,
  type Trouble,
} from '../domain/agent/report/report.js';
import type { NodeFacts } from '../domain/agent/report/nodes.js';
import { timestamp } from '../runtime/vocabulary/meta.js';
import { jittered, retryMs } from './schedule.js';

/** Between two rounds of reads, less up to a tenth. */
const SAMPLE_PERIOD_MS = 300_000;

/** A first list of the ConfigMaps that takes no longer is no failure. */
const FIRST_LIST_MS = 1_000;

/** What is read of the cluster in one round, every five minutes. */
interface Sample {
  readonly clusterId: string;
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
  readonly clientConfig: ClientConfig | undefined;
}

interface ObserverOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Reads the cluster and keeps the report: claims by a watch, version and Nodes by samples, the API server by probes.
 *
 * Guarantees: there is no report before each of its parts was read once, and a part that cannot be read later keeps its last
 * value, so that a claim never disappears because of a failed request.
 */
export class Observer {
  /** Runs when {@link report} may have changed. */
  onChange: () => void = () => undefined;
  readonly #options: ObserverOptions;
  #sample: Sample | undefined;
  #controlPlane: ControlPlaneState | undefined;
  /** Whether the ConfigMaps with custom claims were listed. */
  #isClaimsSynced = false;
  /** Of the sample and the ConfigMaps as they are now; undefined until both were read. */
  #claims: Claims | undefined;
  #problem: string | undefined = 'the cluster has not been read yet';
  /** Why the cluster cannot be read, from the second failure on. */
  #unread: Trouble | undefined;
  /** The rejected claims that were logged last, and since when there are some, RFC 3339. */
  #loggedRejections = '';
  #rejectedSince = '';

  constructor(options: ObserverOptions) {
    this.#options = options;
    options.home.claims.onChange(() => this.#changed());
  }

  /** Reads the cluster until `signal` fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { claims } = this.#options.home;
    claims.start();
    await Promise.all([this.#watchClaims(signal), this.#samples(signal), this.#probes(signal)]);
    await claims.stop();
  }

  /** The current report; undefined while a part of it is unknown. `secret`: what is wrong with the agent's Secret. */
  report(secret?: Trouble): ClusterReport | undefined {
    if (this.#sample === undefined || this.#controlPlane === undefined || this.#claims === undefined) return undefined;
    const troubles = [secret, this.#unread].filter((one) => one !== undefined);
    const { claims, rejected } = this.#claims;
    const refused = rejected.length === 0 ? undefined : { claims: rejected, since: this.#rejectedSince };
    return reportOf({ ...this.#sample, claims, controlPlane: this.#controlPlane, troubles, rejected: refused });
  }

  /** Why there is no report, or why it is not fresh. */
  problem(): string | undefined {
    return this.#problem;
  }

  async #watchClaims(signal: AbortSignal): Promise<void> {
    await this.#options.home.claims.whenSynced(signal).then(
      () => {
        this.#isClaimsSynced = true;
        this.#changed();
      },
      () => undefined,
    );
  }

  async #samples(signal: AbortSignal): Promise<void> {
    const { clock, random, home } = this.#options;
    await within(clock, FIRST_LIST_MS, home.claims.whenSynced(signal), signal);
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#readSample(signal)) ? 0 : failures + 1;
      this.#tell(failures);
      const wait = failures === 0 ? jittered(SAMPLE_PERIOD_MS, random) : retryMs(failures, random);
      await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  async #readSample(signal: AbortSignal): Promise<boolean> {
    const { home, log } = this.#options;
    try {
      const clusterId = this.#sample?.clusterId ?? (await home.clusterId(signal));
      const version = await home.version(signal);
      const nodes = await home.nodes(signal);
      const clientConfig = await home.clientConfig(signal);
      this.#sample = { clusterId, version, nodes, clientConfig };
      this.#changed();
      const { claims } = home;
      const unlisted = claims.failure() ?? (claims.current() ? undefined : new Error('configmaps: not listed yet'));
      if (unlisted !== undefined) throw unlisted;
      this.#problem = undefined;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#problem = `the cluster cannot be read: ${errorText(error)}`;
      log.warn({ error: errorText(error) }, 'failed to read the cluster, retrying');
      return false;
    }
  }

  /** From the second failure on the hub is told: a cluster that restarts its API server cannot be read for a moment. */
  #tell(failures: number): void {
    const before = this.#unread;
    const message = this.#problem === undefined ? undefined : withoutHere(this.#problem);
    if (failures === 1 || message === before?.message) return;
    const since = before?.since ?? timestamp(this.#options.clock.now());
    this.#unread = message === undefined ? undefined : { reason: 'ClusterNotRead', message, since };
    this.onChange();
  }

  async #probes(signal: AbortSignal): Promise<void> {
    const { clock, home } = this.#options;
    while (!signal.aborted) {
      const sentAt = clock.monotonic();
      const failure = await home.probe(signal).then(() => undefined, errorText);
      if (signal.aborted) return;
      const before = this.#controlPlane;
      this.#controlPlane = afterProbe(before, { sentAt, now: clock.now(), failure });
      if (before?.isHealthy !== this.#controlPlane.isHealthy) this.#changed();
      await delay(clock, sentAt + PROBE_PERIOD_MS - clock.monotonic(), signal).catch(() => undefined);
    }
  }

  #changed(): void {
    if (this.#sample !== undefined && this.#isClaimsSynced) {
      this.#claims = claimsOf({ ...this.#sample, configMaps: [...this.#options.home.claims.store.values()] });
      this.#logRejected(this.#claims.rejected);
    }
    this.onChange();
  }

  /** Custom claims that are not published are logged once. */
  #logRejected(rejected: readonly string[]): void {
    const { clock, log } = this.#options;
    const text = rejected.join('; ');
    if (text !== '' && this.#loggedRejections === '') this.#rejectedSince = timestamp(clock.now());
    if (text !== this.#loggedRejections && text !== '') log.warn({ rejected }, 'custom claims are not published');
    this.#loggedRejections = text;
  }
}
