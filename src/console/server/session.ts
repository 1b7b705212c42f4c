import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.js';

/** Sessions of the browsers of one person. A link opens one, once. */

const CODE_BYTES = 32;
const CODE_MS = 600_000;
const SESSION_MS = 8 * 3_600_000;
/** The links that nobody has opened; older ones end. */
const MOST_CODES = 8;

export class Sessions {
  readonly #clock: Clock;
  /** Hash → when it ends, by the monotonic clock. */
  readonly #codes = new Map<string, number>();
  readonly #sessions = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A code for a link: works once, for ten minutes. */
  code(): string {
    const [oldest] = this.#codes.keys();
    if (this.#codes.size >= MOST_CODES && oldest !== undefined) this.#codes.delete(oldest);
    return add(this.#codes, this.#clock.monotonic() + CODE_MS);
  }

  /** The secret of a new session; undefined for a code that was used, has expired, or never was. */
  open(code: string): string | undefined {
    const key = hashOf(code);
    const ends = this.#codes.get(key);
    this.#codes.delete(key);
    const now = this.#clock.monotonic();
    return ends === undefined || ends < now ? undefined : add(this.#sessions, now + SESSION_MS);
  }

  has(secret: string): boolean {
    return (this.#sessions.get(hashOf(secret)) ?? -Infinity) >= this.#clock.monotonic();
  }

  close(secret: string): void {
    this.#sessions.delete(hashOf(secret));
  }
}

/** Hashes are compared, not secrets: the time of a look-up tells nothing of them. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function add(to: Map<string, number>, ends: number): string {
  const secret = randomBytes(CODE_BYTES).toString('base64url');
  to.set(hashOf(secret), ends);
  return secret;
}

/** Cookies are shared by all ports of a host, hence the port in the name. */
export function cookieName(port: number): string {
  return `console-${port}`;
}

export function cookieIn(header: string | undefined, name: string): string {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}
