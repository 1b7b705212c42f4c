import type { Clock } from '../../runtime/clock.js';
import { Recent } from '../server/recent.js';
import { RequestError } from '../server/requests.js';

/** What one person, and one address, may ask for. Whoever asks too much is told when again: nobody waits here. */

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket that refuses. */
class Allowance {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #left: number;
  #at: number;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate.burst;
    this.#at = clock.monotonic();
  }

  /** @throws RequestError 429 with the time until the next one */
  take(what: string): void {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.monotonic();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
    if (this.#left < 1) throw tooMany(what, (1 - this.#left) / perSecond);
    this.#left -= 1;
  }

  giveBack(): void {
    this.#left += 1;
  }
}

function tooMany(what: string, seconds: number): RequestError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new RequestError(429, `too many ${what}: again in ${wait} s`, { 'retry-after': String(wait) });
}

const REQUESTS: Rate = { perSecond: 20, burst: 60 };
/** 30 a minute. */
const PLANS: Rate = { perSecond: 0.5, burst: 30 };
/** 10 a minute. */
const REFUSED_LOGINS: Rate = { perSecond: 1 / 6, burst: 10 };
const MOST_KEYS = 10_000;
/** Answers of a person that are sent and not read yet: each is kept until it is. */
const MOST_UNREAD = 16;
/** What is computed for one person alone, and takes long. */
const PLANNING = ['plan', 'apply'];

class PersonLimits {
  readonly requests: Allowance;
  readonly plans: Allowance;
  isPlanning = false;
  unread = 0;

  constructor(clock: Clock) {
    this.requests = new Allowance(clock, REQUESTS);
    this.plans = new Allowance(clock, PLANS);
  }
}

/** The limits by person and by address. Those that were not used for longest are forgotten. */
export class Limits {
  readonly #clock: Clock;
  readonly #persons = new Recent<PersonLimits>(MOST_KEYS);
  readonly #addresses = new Recent<Allowance>(MOST_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a request of a person. @throws RequestError 429 */
  async within<T>(person: string, path: string, work: () => Promise<T>): Promise<T> {
    const limits = this.#limitsOf(person);
    limits.requests.take('requests');
    if (!PLANNING.includes(path)) return work();
    if (limits.isPlanning) throw tooMany('plans at once', 1);
    limits.plans.take('plans');
    limits.isPlanning = true;
    try {
      return await work();
    } finally {
      limits.isPlanning = false;
    }
  }

  /** Sends an answer to a person. @throws RequestError 429 where too many are not read */
  async sending(person: string, send: () => Promise<void>): Promise<void> {
    const limits = this.#limitsOf(person);
    if (limits.unread >= MOST_UNREAD) throw tooMany('answers that are not read', 1);
    limits.unread += 1;
    try {
      await send();
    } finally {
      limits.unread -= 1;
    }
  }

  #limitsOf(person: string): PersonLimits {
    return this.#persons.use(person, () => new PersonLimits(this.#clock));
  }

  /** Counts a token that is not known yet, until `giveBack`: it was accepted. @throws RequestError 429 */
  login(address: string): Pick<Allowance, 'giveBack'> {
    const allowance = this.#addresses.use(address, () => new Allowance(this.#clock, REFUSED_LOGINS));
    allowance.take('refused logins from this address, which others may share');
    return allowance;
  }
}
