import { whenAborted } from '../../runtime/clock.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';
import type { Trouble } from '../../domain/agent/report/report.js';
import { claimsIn, timeIn } from '../../runtime/vocabulary/webtoken.js';
import { withoutLocalTime } from '../../runtime/connection/certificatetext.js';
import { errorText } from '../../runtime/errors.js';
import { FAILURES_OF_A_PROBLEM, jittered, retryMs, ShortenableDelay } from '../schedule.js';
import { isOtherManifest } from './attempts.js';
import type { SessionContext } from './context.js';

/** The time between two reads of the Secret, less up to a tenth: the agent has no right to watch Secrets. */
const PERIOD_MS = 300_000;

/**
 * The agent's token of the hub, and its copy in the Secret `hub-token`. A token is stored before its first use, since the next
 * process has no other credential. If it cannot be stored, it is used all the same, and storing it is tried again: another token
 * could not be stored either, and the one in the Secret expires.
 */
export class OwnToken {
  readonly #context: SessionContext;
  readonly #delay: ShortenableDelay;
  #value = '';
  #stored: string | undefined;
  #failures = 0;
  #resolve: () => void = () => undefined;
  /** Runs when what /readyz and the report say of the Secret has changed. */
  onTrouble: () => void = () => undefined;
  readonly #hasStored = new Promise<void>((resolve) => (this.#resolve = resolve));

  /** `value`: the stored token; undefined: {@link granted} follows. */
  constructor(context: SessionContext, value: string | undefined) {
    this.#context = context;
    this.#delay = new ShortenableDelay(context.tools.clock);
    this.#found(value);
    if (value !== undefined) this.#use(value);
  }

  /** The token for requests to the hub. */
  get value(): string {
    return this.#value;
  }

  /** Resolves when the Secret has a token of this manifest; rejects with the signal's reason. */
  async untilStored(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#hasStored, whenAborted(signal)]);
    signal.throwIfAborted();
  }

  /** Takes a token that the hub has granted, after one attempt to store it. Rejects with the signal's reason only. */
  async granted(token: string, signal: AbortSignal): Promise<void> {
    await this.#store(token, signal);
    this.#use(token);
    if (this.#failures > 0) this.#delay.shortenTo(this.#retryMs());
  }

  /**
   * Keeps this token in the Secret, also after somebody has created that again from its manifest. Ends the session when the
   * Secret is of another manifest, even if the hub of this one still answers. Runs until `signal` fires; rejects with its reason.
   */
  async keepStored(signal: AbortSignal): Promise<void> {
    const { random } = this.#context.tools;
    for (;;) {
      await this.#delay.wait(this.#failures === 0 ? jittered(PERIOD_MS, random) : this.#retryMs(), signal);
      await this.#store(this.#value, signal);
    }
  }

  async #store(token: string, signal: AbortSignal): Promise<void> {
    const { home, join, end, tools, state } = this.#context;
    try {
      const { uid, content } = await home.readSecret(signal);
      if (isOtherManifest(content, join)) end('replaced');
      signal.throwIfAborted();
      this.#found(content.kind === 'complete' ? content.token : undefined);
      if (content.kind === 'unusable') throw new Error(content.problem);
      if (content.token !== token) {
        await home.storeToken(uid, token, join, signal);
        tools.metrics.tokenRequested('success');
        this.#found(token);
      }
      this.#failures = 0;
      this.#tell(undefined);
    } catch (error) {
      signal.throwIfAborted();
      this.#failures += 1;
      const isStored = token === this.#stored;
      if (!isStored) tools.metrics.tokenRequested('error');
      const what = isStored ? 'Secret hub-token cannot be read' : 'the token cannot be stored in Secret hub-token';
      const message = `${what}: ${errorText(error)}; ${this.#meaning()}`;
      tools.log.warn({ problem: message, failures: this.#failures }, 'the Secret hub-token fails, retrying');
      const since = state.secretTrouble?.since ?? timestamp(tools.clock.now());
      const reason = isStored ? 'ClusterNotRead' : 'TokenNotStored';
      if (this.#failures >= FAILURES_OF_A_PROBLEM) this.#tell({ reason, message: withoutLocalTime(message), since });
    }
  }

  #tell(trouble: Trouble | undefined): void {
    const { state } = this.#context;
    const isChanged = trouble?.message !== state.secretTrouble?.message;
    state.secretTrouble = trouble;
    if (isChanged) this.onTrouble();
  }

  #use(token: string): void {
    this.#value = token;
    this.#context.tools.metrics.tokenUntil('used', expiryOf(token));
  }

  #found(token: string | undefined): void {
    this.#stored = token;
    if (token === undefined) return;
    this.#resolve();
    this.#context.tools.metrics.tokenUntil('stored', expiryOf(token));
  }

  #meaning(): string {
    if (this.#stored === undefined)
      return 'none is stored: a restart needs the join token of the manifest, or a new manifest';
    const until = expiryOf(this.#stored);
    const validity = until === undefined ? '' : `, which is valid until ${timestamp(until)}`;
    return `a restart needs the stored one${validity}`;
  }

  #retryMs(): number {
    return retryMs(this.#failures, this.#context.tools.random);
  }
}

/** When a token ends, ms since the epoch; undefined for one that does not say. */
function expiryOf(token: string): number | undefined {
  return timeIn(claimsIn(token)?.['exp']);
}
