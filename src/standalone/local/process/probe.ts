import http from 'node:http';
import https from 'node:https';

import type { Clock, Timer } from '../../../runtime/clock.js';
import type { Probe } from '../workload.js';

interface ProbeOptions {
  readonly probe: Probe;
  /** `HOST:PORT` where the process listens in place of the probed port. */
  readonly address: string;
  readonly clock: Clock;
  /** Called for each change of the result: after successThreshold successes, or failureThreshold failures. */
  readonly report: (outcome: ProbeResult) => void;
}

export interface ProbeResult {
  readonly passes: boolean;
  /** The last failure; '' for a success. */
  readonly detail: string;
  /** Consecutive failures. */
  readonly failures: number;
}

/**
 * Probes a process periodically over HTTP(S) by the rules of a kubelet: status codes 200 to 399 are a success,
 * certificates are not verified, redirects are not followed. Runs until `stop`.
 */
export class Prober {
  readonly #options: ProbeOptions;
  #timer: Timer | undefined;
  #request: http.ClientRequest | undefined;
  #stopped = false;
  #successes = 0;
  #failures = 0;
  #passes: boolean | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#arm((options.probe.initialDelaySeconds ?? 0) * 1000);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#request?.destroy();
  }

  #arm(ms: number): void {
    this.#timer = this.#options.clock.after(ms, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const detail = await this.#get();
    if (this.#stopped) return;
    this.#count(detail);
    // While it does not pass it is probed more often than periodSeconds, so that a fast start is observed soon.
    const period = (this.#options.probe.periodSeconds ?? 10) * 1000;
    this.#arm(this.#passes === true ? period : Math.min(period, STARTUP_PERIOD_MS));
  }

  #count(detail: string | undefined): void {
    const { probe, report } = this.#options;
    this.#successes = detail === undefined ? this.#successes + 1 : 0;
    this.#failures = detail === undefined ? 0 : this.#failures + 1;
    const enough =
      detail === undefined ? this.#successes >= (probe.successThreshold ?? 1) : this.#failures >= this.#failureLimit();
    const succeeded = detail === undefined;
    if (!enough || this.#passes === succeeded) return;
    this.#passes = succeeded;
    report({ passes: succeeded, detail: detail ?? '', failures: this.#failures });
  }

  /** Failures until the probe fails; while probed more often than periodSeconds, as many as take the same time. */
  #failureLimit(): number {
    const { failureThreshold = 3, periodSeconds = 10 } = this.#options.probe;
    return this.#passes === true
      ? failureThreshold
      : Math.ceil((failureThreshold * periodSeconds * 1000) / Math.min(periodSeconds * 1000, STARTUP_PERIOD_MS));
  }

  /** The failure; undefined for a success. */
  #get(): Promise<string | undefined> {
    const { probe, address, clock } = this.#options;
    const scheme = (probe.httpGet?.scheme ?? 'HTTP').toLowerCase();
    const url = `${scheme}://${address}${probe.httpGet?.path ?? '/'}`;
    return new Promise((resolve) => {
      const options = {
        agent: false,
        rejectUnauthorized: false,
        headers: { 'user-agent': 'multicluster-engine-probe' },
      };
      const request = (scheme === 'https' ? https : http).get(url, options, (response) => {
        response.resume();
        const code = response.statusCode ?? 0;
        done(code >= 200 && code < 400 ? undefined : `HTTP ${code} from ${url}`);
      });
      const timer = clock.after((probe.timeoutSeconds ?? 1) * 1000, () =>
        request.destroy(new Error('no answer in time')),
      );
      const done = (detail: string | undefined): void => {
        timer.cancel();
        this.#request = undefined;
        resolve(detail);
      };
      request.on('error', (error) => done(`${url}: ${error.message}`));
      this.#request = request;
    });
  }
}

const STARTUP_PERIOD_MS = 250;
