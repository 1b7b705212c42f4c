import { createHmac, randomBytes } from 'node:crypto';
import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { reviewSelf } from '../../runtime/client/reviews.js';
import { createClient } from '../../runtime/client/rest.js';
import type { Clock, Timer } from '../../runtime/clock.js';
import { ApiError, isFailure } from '../../runtime/errors.js';
import type { Transport } from '../../runtime/transport/transport.js';
import { Planner } from '../server/planner.js';
import { Recent } from '../server/recent.js';
import { RequestError } from '../server/requests.js';
import type { Hub } from '../server/routes.js';
import { Snapshots } from '../server/snapshot.js';
import { busy, ReadingPool } from './pool.js';
import { claimsOf, refusalText } from './token.js';
import { TYPES } from '../../answers/world/worlds.js';
import { collectionPath, resourceOf } from '../../runtime/client/path.js';

/** The persons who use the console now, each with a token of the hub and what was read with it. */

export interface PeopleOptions {
  /** Sends calls with this token. */
  readonly connect: (token: string) => Transport;
  /** Address of the API server, for the page. */
  readonly hub: string;
  readonly clock: Clock;
}

/** A token, and the only namespace to read where others are refused; undefined: that of the token. */
export interface Credential {
  readonly token: string;
  readonly namespace: string | undefined;
}

export interface Person {
  /** For limits: the name of the user, or what stands for the token where the API server refuses that. */
  readonly id: string;
  /** As the API server names it; empty where that is refused. */
  readonly user: string;
  readonly hub: Hub;
}

interface Known {
  readonly transport: Transport;
  readonly snapshots: Snapshots;
  person: Person | undefined;
  /** By the monotonic clock. */
  reviewedAt: number;
  usedAt: number;
  review: Promise<Person> | undefined;
}

/** A token is asked about again after this time: one that was revoked is of no use after it. */
const REVIEW_MS = 10_000;
/** Nothing that was read is used for longer: a right that was taken away shows nothing after it. */
const READING_MS = 10_000;
/** A page asks every few seconds. Who has not asked for this long is forgotten, token and all. */
const FORGET_MS = 60_000;
const SWEEP_MS = 15_000;
/**
 * A draft whose plan takes longer is given up. A label of a cluster takes two seconds where there are 10,000 clusters and 1,000
 * Placements.
 */
const PLAN_MS = 10_000;
const MOST_PEOPLE = 200;
const MOST_REMEMBERED = 1_000;
const MOST_NEW_REVIEWS = 8;

/** Bounded, whatever is asked. A token is kept while it is used, and nowhere else. */
export class People {
  readonly #options: PeopleOptions;
  readonly #secret = randomBytes(32);
  readonly #pool: ReadingPool;
  readonly #planner: Planner;
  /** By keyed hash of the credential. */
  readonly #known = new Map<string, Known>();
  /** Keyed hash of a refused token → when it was refused, and why. */
  readonly #refused = new Recent<{ readonly at: number; readonly why: string }>(MOST_REMEMBERED);
  /** Keyed hashes of tokens that were accepted. */
  readonly #accepted = new Recent<true>(MOST_REMEMBERED);
  #newReviews = 0;
  #timer: Timer | undefined;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#planner = new Planner(options.clock, PLAN_MS);
    const all = (): readonly Snapshots[] => Array.from(this.#known.values(), ({ snapshots }) => snapshots);
    this.#pool = new ReadingPool(
      options.clock,
      () => all().flatMap(({ held }) => held ?? []),
      () => all().filter(({ isAlone }) => isAlone).length,
    );
  }

  get size(): number {
    return this.#known.size;
  }

  /** Whether the API server has accepted the token before. */
  knows(credential: Credential): boolean {
    return this.#accepted.get(this.#tokenKey(credential)) === true;
  }

  /** The person whose token this is. @throws RequestError 401 for a refused token, 503 where nothing can be said of it */
  async find(credential: Credential): Promise<Person> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const refused = this.#refused.get(this.#tokenKey(credential));
    if (refused !== undefined && now - refused.at < REVIEW_MS) throw unauthorized(refused.why);
    const known = this.#knownOf(credential);
    known.usedAt = now;
    if (known.person !== undefined && now - known.reviewedAt < REVIEW_MS) return known.person;
    known.review ??= this.#review(known, credential).finally(() => (known.review = undefined));
    return known.review;
  }

  /** Forgets a token and what was read with it. */
  forget(credential: Credential): void {
    this.#drop(this.#keyOf(credential));
  }

  close(): void {
    this.#timer?.cancel();
    for (const key of this.#known.keys()) this.#drop(key);
    this.#pool.close();
  }

  async #review(known: Known, credential: Credential): Promise<Person> {
    const isNew = known.person === undefined;
    if (isNew && this.#newReviews >= MOST_NEW_REVIEWS) throw this.#withdrawn(credential, busy());
    this.#newReviews += isNew ? 1 : 0;
    try {
      const user = await reviewSelf(known.transport);
      known.person ??= this.#person(known, credential, user);
      known.reviewedAt = this.#options.clock.monotonic();
      this.#accepted.set(this.#tokenKey(credential), true);
      return known.person;
    } catch (error) {
      if (!isFailure(error, 'Unauthorized')) throw this.#withdrawn(credential, unavailable(error));
      const why = refusalText(credential.token, this.#options.clock.now());
      this.#accepted.delete(this.#tokenKey(credential));
      this.#refused.set(this.#tokenKey(credential), { at: this.#options.clock.monotonic(), why });
      this.forget(credential);
      throw unauthorized(why);
    } finally {
      this.#newReviews -= isNew ? 1 : 0;
    }
  }

  /** The error; a token of which nothing is known yet is not kept. */
  #withdrawn(credential: Credential, error: Error): Error {
    if (this.#known.get(this.#keyOf(credential))?.person === undefined) this.forget(credential);
    return error;
  }

  #person({ transport, snapshots }: Known, credential: Credential, user: string): Person {
    const { hub } = this.#options;
    const own = namespaceOf(credential);
    const id = user === '' ? this.#tokenKey(credential) : user;
    const session = { hub, context: '', user, namespace: own, by: 'token' } as const;
    const client = createClient(transport);
    return { id, user, hub: { snapshots, client, transport, session, namespace: undefined, planner: this.#planner } };
  }

  #knownOf(credential: Credential): Known {
    const key = this.#keyOf(credential);
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const { connect, clock } = this.#options;
    if (this.#known.size >= MOST_PEOPLE) throw busy();
    const transport = connect(credential.token);
    const snapshots = new Snapshots({
      client: createClient(transport),
      namespace: undefined,
      fallback: () => namespaceOf(credential),
      clock,
      pool: this.#pool,
      mayListAll: listProof(transport, clock),
      oldestMs: READING_MS,
    });
    const usedAt = clock.monotonic();
    const known: Known = { transport, snapshots, person: undefined, reviewedAt: -Infinity, usedAt, review: undefined };
    this.#known.set(key, known);
    this.#timer ??= clock.after(SWEEP_MS, () => this.#sweep());
    return known;
  }

  #sweep(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, { usedAt }] of this.#known) if (now - usedAt >= FORGET_MS) this.#drop(key);
    this.#timer = this.#known.size === 0 ? undefined : this.#options.clock.after(SWEEP_MS, () => this.#sweep());
  }

  #drop(key: string): void {
    const known = this.#known.get(key);
    this.#known.delete(key);
    void known?.transport.close();
  }

  #keyOf({ token, namespace }: Credential): string {
    return this.#hash(`${namespace ?? ''} ${token}`);
  }

  #tokenKey({ token }: Credential): string {
    return this.#hash(token);
  }

  /** Keyed: whoever reads the memory of a stopped process finds no hash of a token. */
  #hash(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }
}

function namespaceOf({ token, namespace }: Credential): string {
  return namespace ?? claimsOf(token)?.namespace ?? DEFAULT_NAMESPACE;
}

/** The page asks for a token where it gets this header. */
export function unauthorized(message: string): RequestError {
  return new RequestError(401, message, { 'www-authenticate': 'Bearer' });
}

function unavailable(error: unknown): Error {
  if (!(error instanceof ApiError)) return error instanceof Error ? error : new Error(String(error));
  const message = `the API server does not say whose token this is: ${error.message}`;
  return new RequestError(503, message, { 'retry-after': '5' });
}

/** It is asked again after this time: a right that was taken away is of no use after it. */
const PROOF_MS = 5_000;

/**
 * Since when it is known that a token may list every object of every kind that is read: asked of the API server with the token
 * itself, by lists of one object. Undefined where it may not, and where that cannot be said. Never rejects.
 */
function listProof(transport: Pick<Transport, 'call'>, clock: Clock): () => Promise<number | undefined> {
  let asked: { readonly at: number; readonly mayList: Promise<boolean> } | undefined;
  return async () => {
    const now = clock.monotonic();
    if (asked === undefined || now - asked.at >= PROOF_MS) asked = { at: now, mayList: mayListAll(transport) };
    const { at, mayList } = asked;
    return (await mayList) ? at : undefined;
  };
}

async function mayListAll(transport: Pick<Transport, 'call'>): Promise<boolean> {
  const lists = Object.values(TYPES).map((type) =>
    transport.call({
      method: 'GET',
      path: collectionPath(type),
      query: { limit: '1' },
      target: { verb: 'list', resource: resourceOf(type) },
      idempotent: true,
      attempts: 1,
    }),
  );
  try {
    await Promise.all(lists);
    return true;
  } catch {
    return false;
  }
}
