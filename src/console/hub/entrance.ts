import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../runtime/http/host.js';
import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import { NAMESPACE_HEADER, type Session } from '../wire/answer.js';
import { tokenFault } from '../wire/token.js';
import { bearerOf, type Entrance, type Visit, type Work } from '../server/guard.js';
import { RequestError } from '../server/requests.js';
import { Limits } from './limits.js';
import { unauthorized, type Credential, type People, type Person } from './people.js';
import { claimsOf } from './token.js';

export interface TokenEntranceOptions {
  readonly people: People;
  /** Whether the serving certificate is for this name or address. */
  readonly serves: (host: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

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
    const origin = `https://${name.toLowerCase()}${port === '' || port === '443' ? '' : `:${port}`}`;
    return URL.canParse(origin) ? origin : undefined;
  }

  async session(visit: Visit): Promise<Session | undefined> {
    const credential = credentialIn(visit);
    const { method } = visit.request;
    if (method === 'DELETE') {
      this.#options.people.forget(credential);
      return undefined;
    }
    if (method !== 'GET') throw new RequestError(405, 'want GET or DELETE');
    const { hub } = await this.#personOf(visit, credential);
    const expires = claimsOf(credential.token)?.expires;
    const until = expires === undefined ? {} : { until: new Date(expires).toISOString() };
    return { ...hub.session, context: new URL(visit.origin).host, ...until };
  }

  async enter(visit: Visit, path: string, { answer, send }: Work): Promise<void> {
    const { id, hub } = await this.#personOf(visit, credentialIn(visit));
    const found = await this.#limits.within(id, path, () => answer(hub));
    await this.#limits.sending(id, () => send(found));
  }

  /** A token that was never accepted counts against its address until it is accepted. */
  async #personOf({ request }: Visit, credential: Credential): Promise<Person> {
    const { people, log } = this.#options;
    if (people.knows(credential)) return people.find(credential);
    const counted = this.#limits.login(request.socket.remoteAddress ?? '');
    try {
      const person = await people.find(credential);
      counted.giveBack();
      log.info({ user: person.user }, 'session opened');
      return person;
    } catch (error) {
      if (!(error instanceof RequestError && error.code === 401)) counted.giveBack();
      throw error;
    }
  }
}

/**
 * The token and the namespace of a request. @throws RequestError 401 without a valid token, 400 for an invalid name of a
 * namespace
 */
function credentialIn(visit: Visit): Credential {
  const token = bearerOf(visit);
  if (token === undefined) throw unauthorized('log in with a token of the hub');
  const fault = tokenFault(token);
  if (fault !== undefined) throw unauthorized(fault);
  const namespace = visit.request.headers[NAMESPACE_HEADER];
  if (typeof namespace !== 'string' || namespace === '') return { token, namespace: undefined };
  if (PATH_NAME.test(namespace)) return { token, namespace };
  throw new RequestError(400, `namespace: ${JSON.stringify(namespace)}: must be the name of a namespace`);
}
