import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import { textField } from '../../runtime/vocabulary/json.js';
import type { Session } from '../wire/answer.js';
import { bearerOf, ownHost, type Entrance, type Visit, type Work } from './guard.js';
import { RequestError } from './requests.js';
import type { Hub } from './routes.js';

/** Sessions of the browsers of one person. The code of a link is traded for the key of one, once. */

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

  /** The key of a new session; undefined for a code that was used, has expired, or never was. */
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

/** The entrance of a console for one person of this machine. */
export class LinkEntrance implements Entrance {
  readonly #hub: Hub;
  readonly #sessions: Sessions;

  constructor(hub: Hub, sessions: Sessions) {
    this.#hub = hub;
    this.#sessions = sessions;
  }

  originOf(headers: IncomingHttpHeaders, port: number): string | undefined {
    const host = ownHost(headers, port);
    return host === undefined ? undefined : `http://${host}`;
  }

  async session(visit: Visit): Promise<Session | undefined> {
    const { session } = this.#hub;
    const key = bearerOf(visit) ?? '';
    switch (visit.request.method) {
      case 'POST': {
        const opened = this.#sessions.open(textField(await visit.body(), 'code'));
        if (opened === undefined)
          throw new RequestError(401, 'the link was used already, or is older than ten minutes');
        return { ...session, key: opened };
      }
      case 'DELETE':
        this.#sessions.close(key);
        return undefined;
      case 'GET':
        if (this.#sessions.has(key)) return session;
        throw new RequestError(401, 'there is no session: open the link that the command has printed');
      default:
        throw new RequestError(405, 'want GET, POST or DELETE');
    }
  }

  async enter(visit: Visit, _path: string, { answer, send }: Work): Promise<void> {
    if (!this.#sessions.has(bearerOf(visit) ?? '')) throw new RequestError(401, 'the session is over');
    await send(await answer(this.#hub));
  }
}
