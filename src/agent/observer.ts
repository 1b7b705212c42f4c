import { delay, within, type Clock, type Random } from '../runtime/clock.js';
import { withoutLocalTime } from '../runtime/connection/certificatetext.js';
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

/** The time between two rounds of reads. {@link jittered} makes each wait up to a tenth shorter. */
const SAMPLE_PERIOD_MS = 300_000;

/** How long the first round waits for the first list of the ConfigMaps. A list that takes longer fails the round. */
const FIRST_LIST_MS = 1_000;

/** What one round reads of the cluster. */
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
  /** The claims in the last sample and in the ConfigMaps; undefined until both were read. */
  #claims: Claims | undefined;
  /** Why the last round failed; undefined when it did not. */
  #problem: string | undefined = 'the cluster has not been read yet';
  /** What the report says of rounds that fail; undefined until two in a row have failed. */
  #readTrouble: Trouble | undefined;
  /** The rejected claims that were logged last; empty when none is rejected. */
  #loggedRejections = '';
  /** Since when claims have been rejected, RFC 3339; empty until the first is. */
  #rejectedSince = '';

  constructor(options: ObserverOptions) {
    this.#options = options;
    options.home.claims.onChange(() => this.#changed());
  }

  /** Reads the cluster until `signal` fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { claims } = this.#options.home;
    claims.start();
    await Promise.all([this.#watchClaims(signal), this.#sampleLoop(signal), this.#probeLoop(signal)]);
    await claims.stop();
  }

  /** The current report; undefined while a part of it is unknown. `others`: what else is wrong. */
  report(...others: readonly (Trouble | undefined)[]): ClusterReport | undefined {
    // A process that has started a moment ago must not take back what the one before it has reported of the control plane.
    const controlPlane = this.#controlPlane?.isHealthy === undefined ? undefined : this.#controlPlane;
    if (this.#sample === undefined || controlPlane === undefined || this.#claims === undefined) return undefined;
    const troubles = [...others, this.#readTrouble].filter((one) => one !== undefined);
    const { claims, rejected: names } = this.#claims;
    const rejected = names.length === 0 ? undefined : { claims: names, since: this.#rejectedSince };
    return reportOf({ ...this.#sample, claims, controlPlane, troubles, rejected });
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

  async #sampleLoop(signal: AbortSignal): Promise<void> {
    const { clock, random, home } = this.#options;
    await within(clock, FIRST_LIST_MS, home.claims.whenSynced(signal), signal);
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#readSample(signal)) ? 0 : failures + 1;
      this.#noteFailures(failures);
      const wait = failures === 0 ? jittered(SAMPLE_PERIOD_MS, random) : retryMs(failures, random);
      await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** One round. Returns whether all was read: the sample and the ConfigMaps, which the watch lists. */
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

  /**
   * Puts the problem into the report, or takes it out. `failures`: how many rounds in a row have failed. A single failure changes
   * nothing, since a cluster that restarts its API server cannot be read for a moment.
   */
  #noteFailures(failures: number): void {
    const before = this.#readTrouble;
    const message = this.#problem === undefined ? undefined : withoutLocalTime(this.#problem);
    if (failures === 1 || message === before?.message) return;
    const since = before?.since ?? timestamp(this.#options.clock.now());
    this.#readTrouble = message === undefined ? undefined : { reason: 'ClusterNotRead', message, since };
    this.onChange();
  }

  async #probeLoop(signal: AbortSignal): Promise<void> {
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

  /** Computes the claims anew. Runs after whatever may change the report. */
  #changed(): void {
    if (this.#sample !== undefined && this.#isClaimsSynced) {
      this.#claims = claimsOf({ ...this.#sample, configMaps: [...this.#options.home.claims.store.values()] });
      this.#logRejected(this.#claims.rejected);
    }
    this.onChange();
  }

  /** Logs the custom claims that are not published, when they differ from those that were logged last. */
  #logRejected(rejected: readonly string[]): void {
    const { clock, log } = this.#options;
    const text = rejected.join('; ');
    if (text !== '' && this.#loggedRejections === '') this.#rejectedSince = timestamp(clock.now());
    if (text !== this.#loggedRejections && text !== '') log.warn({ rejected }, 'custom claims are not published');
    this.#loggedRejections = text;
  }
}
