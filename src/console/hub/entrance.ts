import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../runtime/http/host.js';
import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import { field, parseJson, textField } from '../../runtime/vocabulary/json.js';
import type { Session } from '../wire/answer.js';
import { isOwnPage, type Entrance, type Visit } from '../server/guard.js';
import { RequestError, type Hub } from '../server/routes.js';
import { cookieValue, sessionCookie, setCookies } from './cookies.js';
import type { KeyRing } from './keyring.js';
import { Limits } from './limits.js';
import { unauthorized, type Credential, type People, type Person } from './people.js';
import { claimsOf, cleanToken, tokenFault } from './token.js';

export interface TokenEntranceOptions {
  readonly ring: KeyRing;
  readonly people: People;
  /** Whether the serving certificate is for this name or address. */
  readonly serves: (host: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const LONGEST_SESSION_MS = 8 * 3_600_000;
const BEARER = /^Bearer +(\S+)$/i;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

/** A credential, and when its session ends: ms since the epoch. */
interface Opened extends Credential {
  readonly until: number;
  /** It is of a cookie that this console has made. */
  readonly isSealed: boolean;
}

/** The entrance of the console on a hub: for everybody with a token of the hub, with the rights of that token. */
export class TokenEntrance implements Entrance {
  readonly #options: TokenEntranceOptions;
  readonly #limits: Limits;

  constructor(options: TokenEntranceOptions) {
    this.#options = options;
    this.#limits = new Limits(options.clock);
  }

  originOf({ host = '' }: IncomingHttpHeaders): string | undefined {
    const [, name = '', port = ''] = HOST.exec(host) ?? [];
    if (name === '' || !(isLoopback(name) || this.#options.serves(name))) return undefined;
    return `https://${name.toLowerCase()}${port === '' || port === '443' ? '' : `:${port}`}`;
  }

  /** Without a browser there is no other site: then a token says who asks, and no cookie does. */
  isOwn(headers: IncomingHttpHeaders, origin: string): boolean {
    const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
    return isBrowser ? isOwnPage(headers, origin) : headers.authorization !== undefined;
  }

  async session(visit: Visit): Promise<Session | undefined> {
    const { method } = visit.request;
    if (method === 'POST') return this.#open(visit);
    if (method === 'DELETE') return this.#end(visit);
    const opened = this.#openedIn(visit);
    return sessionOf(await this.#personOf(visit, opened, opened.isSealed), visit, opened.until);
  }

  async enter<T>(visit: Visit, path: string, work: (hub: Hub, person: string) => Promise<T>): Promise<T> {
    const opened = this.#openedIn(visit);
    const { id, hub } = await this.#personOf(visit, opened, opened.isSealed);
    return this.#limits.within(id, path, () => work(hub, id));
  }

  /** Seals the token of the body in the cookies of the browser. */
  async #open(visit: Visit): Promise<Session> {
    const { ring, clock, log } = this.#options;
    const body = await visit.body();
    const token = cleanToken(textField(body, 'token'));
    const fault = tokenFault(token);
    if (fault !== undefined) throw unauthorized(fault);
    const namespace = namespaceIn(body);
    const person = await this.#personOf(visit, { token, namespace }, false);
    const until = sessionEnd(token, clock.now());
    const name = sessionCookie(visit.origin);
    const sealed = ring.seal(JSON.stringify({ token, namespace, until }), about(visit));
    visit.response.setHeader('set-cookie', setCookies(name, sealed, secondsUntil(until, clock.now())));
    log.info({ user: person.user }, 'session opened');
    return sessionOf(person, visit, until);
  }

  #end(visit: Visit): undefined {
    const opened = this.#sealedIn(visit);
    if (opened !== undefined) this.#options.people.forget(opened);
    visit.response.setHeader('set-cookie', setCookies(sessionCookie(visit.origin), '', 0));
    return undefined;
  }

  /** A token that is not known yet counts against its address until it is accepted; one that this console has sealed was. */
  async #personOf({ request }: Visit, credential: Credential, isSealed: boolean): Promise<Person> {
    const { people } = this.#options;
    if (isSealed || people.knows(credential)) return people.find(credential);
    const counted = this.#limits.login(request.socket.remoteAddress ?? '');
    try {
      const person = await people.find(credential);
      counted.giveBack();
      return person;
    } catch (error) {
      if (!(error instanceof RequestError && error.code === 401)) counted.giveBack();
      throw error;
    }
  }

  /** The header of a tool or a proxy goes before the cookie. @throws RequestError 401 */
  #openedIn(visit: Visit): Opened {
    const { authorization } = visit.request.headers;
    if (authorization !== undefined) {
      const token = BEARER.exec(authorization)?.[1] ?? '';
      const fault = tokenFault(token);
      if (fault !== undefined) throw unauthorized(fault);
      return { token, namespace: undefined, until: sessionEnd(token, this.#options.clock.now()), isSealed: false };
    }
    const opened = this.#sealedIn(visit);
    if (opened === undefined) throw unauthorized('log in with a token of the hub');
    if (opened.until <= this.#options.clock.now()) throw unauthorized('the session is over');
    return opened;
  }

  #sealedIn(visit: Visit): Opened | undefined {
    const sealed = cookieValue(visit.request.headers.cookie, sessionCookie(visit.origin));
    const content = parseJson(this.#options.ring.open(sealed, about(visit)) ?? '');
    const until = field(content, 'until');
    if (typeof until !== 'number') return undefined;
    return {
      token: textField(content, 'token'),
      namespace: textField(content, 'namespace') || undefined,
      until,
      isSealed: true,
    };
  }
}

/** A cookie that was moved to another name or host is none. */
function about({ origin }: Visit): string {
  return `${sessionCookie(origin)} ${origin}`;
}

function namespaceIn(body: unknown): string | undefined {
  const namespace = textField(body, 'namespace').trim();
  if (namespace === '') return undefined;
  if (PATH_NAME.test(namespace)) return namespace;
  throw new RequestError(400, `namespace: ${JSON.stringify(namespace)}: must be the name of a namespace`);
}

function sessionEnd(token: string, now: number): number {
  return Math.min(claimsOf(token)?.expires ?? Infinity, now + LONGEST_SESSION_MS);
}

function secondsUntil(until: number, now: number): number {
  return Math.max(0, Math.floor((until - now) / 1000));
}

function sessionOf({ hub }: Person, { origin }: Visit, until: number): Session {
  return { ...hub.session, context: new URL(origin).host, until: new Date(until).toISOString() };
}
