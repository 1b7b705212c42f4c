import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import { textField } from '../../runtime/vocabulary/json.js';
import type { Session } from '../wire/answer.js';
import { isOwnPage, ownHost, type Entrance, type Visit } from './guard.js';
import { RequestError, type Hub } from './routes.js';

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
function cookieName(port: number): string {
  return `console-${port}`;
}

export function cookieIn(header: string | undefined, name: string): string {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** The entrance of a console for one person of this machine. */
export class LinkEntrance implements Entrance {
  readonly isOwn = isOwnPage;
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

  async session(visit: Visit): Promise<Session> {
    const { request, response, body } = visit;
    const name = cookieName(request.socket.localPort ?? 0);
    const attributes = 'HttpOnly; SameSite=Strict; Path=/api';
    if (request.method === 'POST') {
      const opened = this.#sessions.open(textField(await body(), 'code'));
      if (opened === undefined) throw new RequestError(401, 'the link was used already, or is older than ten minutes');
      response.setHeader('set-cookie', `${name}=${opened}; ${attributes}`);
    } else if (request.method === 'DELETE') {
      this.#sessions.close(secretOf(visit));
      response.setHeader('set-cookie', `${name}=; Max-Age=0; ${attributes}`);
    } else if (!this.#sessions.has(secretOf(visit))) {
      throw new RequestError(401, 'there is no session: open the link that the command has printed');
    }
    return this.#hub.session;
  }

  async enter<T>(visit: Visit, _path: string, work: (hub: Hub, person: string) => Promise<T>): Promise<T> {
    if (!this.#sessions.has(secretOf(visit))) throw new RequestError(401, 'the session is over');
    return work(this.#hub, '');
  }
}

function secretOf({ request: { headers, socket } }: Visit): string {
  return cookieIn(headers.cookie, cookieName(socket.localPort ?? 0));
}
