import http from 'node:http';
import https from 'node:https';

import type { Clock, Timer } from '../../runtime/clock.js';
import type { Probe } from './container.js';

export interface ProbeOptions {
  readonly probe: Probe;
  /** `HOST:PORT` where the process listens in place of the probed port. */
  readonly address: string;
  readonly clock: Clock;
  /** Told of each change of the outcome: after successThreshold successes, or failureThreshold failures. */
  readonly report: (outcome: ProbeResult) => void;
}

export interface ProbeResult {
  readonly passes: boolean;
  /** What the last failure was; '' of a success. */
  readonly detail: string;
  /** Failures in a row. */
  readonly failures: number;
}

/**
 * Asks a process again and again over HTTP(S) whether it is well, by the rules of a kubelet: codes 200 to 399 are a
 * success, certificates are not verified, redirects not followed. Ends with `stop`.
 */
export class Prober {
  readonly #options: ProbeOptions;
  #timer: Timer | undefined;
  #request: http.ClientRequest | undefined;
  #stopped = false;
  #successes = 0;
  #failures = 0;
  #outcome: boolean | undefined;

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
    this.#timer = this.#options.clock.after(ms, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const detail = await this.#get();
    if (this.#stopped) return;
    this.#count(detail);
    // Until the first success it is asked more often than agreed, so that a quick start is seen quickly.
    const period = (this.#options.probe.periodSeconds ?? 10) * 1000;
    this.#arm(this.#outcome === true ? period : Math.min(period, STARTUP_PERIOD_MS));
  }

  #count(detail: string | undefined): void {
    const { probe, report } = this.#options;
    this.#successes = detail === undefined ? this.#successes + 1 : 0;
    this.#failures = detail === undefined ? 0 : this.#failures + 1;
    const enough =
      detail === undefined ? this.#successes >= (probe.successThreshold ?? 1) : this.#failures >= this.#patience();
    const outcome = detail === undefined;
    if (!enough || this.#outcome === outcome) return;
    this.#outcome = outcome;
    report({ passes: outcome, detail: detail ?? '', failures: this.#failures });
  }

  /** Failures that are borne; while asked more often than agreed, as many more as make up the same time. */
  #patience(): number {
    const { failureThreshold = 3, periodSeconds = 10 } = this.#options.probe;
    return this.#outcome === true
      ? failureThreshold
      : Math.ceil((failureThreshold * periodSeconds * 1000) / Math.min(periodSeconds * 1000, STARTUP_PERIOD_MS));
  }

  /** What is wrong; undefined when the answer is a success. */
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
      const request = (scheme === 'https' ? https : http).get(url, options, (answer) => {
        answer.resume();
        const code = answer.statusCode ?? 0;
        done(code >= 200 && code < 400 ? undefined : `HTTP ${code} from ${url}`);
      });
      const late = clock.after((probe.timeoutSeconds ?? 1) * 1000, () =>
        request.destroy(new Error('no answer in time')),
      );
      const done = (detail: string | undefined): void => {
        late.cancel();
        this.#request = undefined;
        resolve(detail);
      };
      request.on('error', (error) => done(`${url}: ${error.message}`));
      this.#request = request;
    });
  }
}

const STARTUP_PERIOD_MS = 250;
