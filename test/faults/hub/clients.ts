import { load } from 'js-yaml';

import { field, textField } from '../../../src/runtime/vocabulary/json.js';
import type { ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import type { ApiResponse } from '@multicluster-engine/kube-apiserver';
import { collectionPath, objectPath } from '../../../src/runtime/client/path.js';
import { ServiceAccounts } from '../../../src/runtime/vocabulary/kinds.js';
import { mustConform, type Reply } from '../../gateway/openapi/conformance.js';
import { TEAM } from './base.js';
import { GatewayProgram, type Clientele, type UpstreamRequest } from './gateway.js';
import type { Hands } from './hands.js';
import { Line } from './line.js';
import type { ProcessOptions } from './process.js';

/** What a client asks the gateway for. */
export interface Ask {
  /** The ServiceAccount whose token it has. */
  readonly as: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly type: ResourceType;
  /** Absent for a list. */
  readonly name?: string;
  /** After the path of the object. */
  readonly suffix?: string;
  /** `REVISION` stands for the stored resourceVersion. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body is sent in chunks of so many bytes. */
  readonly chunk?: number;
  /** Sent again in the same piece, as no client should. */
  readonly copies?: number;
  /** In place of the token of the account. */
  readonly token?: string;
  /** The status code of the answer, when all goes well. */
  readonly code: number;
  /** The spec that is stored then; absent: no object of that name is. */
  readonly spec?: object;
  /** What the body of the answer has, at least. */
  readonly shows?: unknown;
}

/** One request on its way, and what has become of it. */
interface Attempt {
  readonly ask: Ask;
  readonly token: string;
  readonly line: Line;
  /** Whether all of its bytes are sent. */
  isWhole: boolean;
  /** How often the API server has carried it out. */
  applied: number;
  status?: number;
  /** Of the answer. */
  body?: string;
}

interface ClientsOptions extends ProcessOptions {
  readonly violate: (rule: string, detail: string) => void;
}

/** A client gives up when it has no answer by then. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 2_000;
const MOST_ATTEMPTS = 60;
/** The shortest lifetime of a token. */
const TOKEN_MS = 600_000;
/** For how long the API server accepts it beyond that. */
const LEEWAY_MS = 61_000;
/** After these a client does not know whether a write was carried out, nor without an answer. */
const UNKNOWN: readonly unknown[] = [undefined, 500, 503];

/**
 * Clients of the gateway, each with the token of an account: they ask again until they have the answer that a request has without
 * faults, and read before that whether a write was carried out that has no answer. Checks that
 * - nothing is carried out of a request that was cut, nothing twice, and nothing without the token of its client (`cut`, `twice`, `identity`);
 * - success is answered exactly when a write was carried out, and is stored; an error, unless it leaves that open, when not (`claimed`, `denied`);
 * - each answer is of the OpenAPI document, and to the question (`answer`); whoever asks again is answered (`unanswered`);
 * - nothing is left of clients that have gone (`left open`).
 */
export class Clients implements Clientele {
  readonly gateway: GatewayProgram;
  readonly #options: ClientsOptions;
  readonly #hands: Hands;
  readonly #tokens = new Map<string, string>();
  #attempts: Attempt[] = [];

  constructor(options: ClientsOptions, hands: Hands) {
    this.#options = options;
    this.#hands = hands;
    this.gateway = new GatewayProgram(options, this);
  }

  /** Several clients at once; each asks one thing after the other on one connection, as long as that is open. */
  async talk(...all: readonly (readonly Ask[])[]): Promise<void> {
    let talking = all.length;
    const tokens = new Set(all.flat().map(({ as }) => as));
    for (const account of tokens) if (!this.#tokens.has(account)) await this.renew(account);
    for (const asks of all) void this.#talk(asks).finally(() => (talking -= 1));
    while (talking > 0) await this.#options.simulation.pass(100);
  }

  /** A new token for an account. */
  async renew(account: string): Promise<void> {
    const path = `${objectPath(ServiceAccounts, { namespace: TEAM, name: account })}/token`;
    const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
    const answer = await this.#hands.send('POST', path, { ...kind, spec: { expirationSeconds: TOKEN_MS / 1_000 } });
    this.#tokens.set(account, textField(field(answer, 'status'), 'token'));
  }

  /** Waits until the token of an account has expired. */
  async expire(account: string): Promise<void> {
    if (!this.#tokens.has(account)) await this.renew(account);
    await this.#options.simulation.pass(TOKEN_MS + LEEWAY_MS);
  }

  dispatched({ method, path, token, isWrite: isWriting }: UpstreamRequest): (response: ApiResponse) => void {
    const attempt = this.#attempts.findLast((one) => one.token === token);
    const isOwn = !isWriting || (method === attempt?.ask.method && path === upstreamPath(attempt.ask));
    if (attempt === undefined || !isOwn)
      this.#violate('identity', `${method} ${path} with the token of another client`);
    if (isWriting && attempt?.isWhole !== true) this.#violate('cut', `${method} ${path} before all of it was sent`);
    return ({ code }) => {
      if (isWriting && attempt !== undefined && code < 300) attempt.applied += 1;
    };
  }

  leave(token: string): void {
    this.#attempts.findLast((one) => one.token === token)?.line.leave('reset');
  }

  /** What was answered since the last check, a text each. */
  answers(): readonly string[] {
    return this.#attempts.map(({ ask, status, body }) => `${titleOf(ask)}: ${status ?? 'nothing'}\n${body ?? ''}`);
  }

  /** To be called at the end of each step. */
  check(): void {
    for (const { ask, isWhole, applied, status } of this.#attempts) {
      const what = `${titleOf(ask)}, answered with ${status ?? 'nothing'}, was carried out ${applied} times`;
      if (!isWhole && applied > 0) this.#violate('cut', what);
      if (applied > 1) this.#violate('twice', what);
      if (isWrite(ask) && status === 200 && applied === 0) this.#violate('claimed', what);
      if (status !== 200 && !UNKNOWN.includes(status) && applied > 0) this.#violate('denied', what);
    }
    this.#attempts = [];
    const { left } = this.gateway;
    if (left !== undefined) this.#violate('left open', left);
  }

  async #talk(asks: readonly Ask[]): Promise<void> {
    let line: Line | undefined;
    for (const ask of asks) line = await this.#insist(ask, line);
    line?.leave('end');
  }

  /** Asks until the answer is the one without faults; returns the connection when it stays open. */
  async #insist(ask: Ask, kept: Line | undefined): Promise<Line | undefined> {
    let line = kept;
    let isInDoubt = false;
    for (let left = MOST_ATTEMPTS; left > 0; left -= 1) {
      const attempt = await this.#attempt(ask, line);
      if (attempt?.status === ask.code) return attempt.line.isUsable ? attempt.line : undefined;
      (attempt?.line ?? line)?.leave('end');
      line = undefined;
      isInDoubt ||= attempt?.isWhole === true && UNKNOWN.includes(attempt.status);
      if (isInDoubt && isWrite(ask) && ask.code === 200 && (await this.#isDone(ask)))
        return this.#insist(readOf(ask), undefined);
      await this.#later(RETRY_MS);
    }
    this.#violate('unanswered', `${titleOf(ask)} was not answered with ${ask.code} in ${MOST_ATTEMPTS} attempts`);
    return undefined;
  }

  /** Undefined when nobody listens. */
  async #attempt(ask: Ask, kept: Line | undefined): Promise<Attempt | undefined> {
    const line = kept?.isUsable === true ? kept : Line.open(this.gateway);
    if (line === undefined) return undefined;
    const token = ask.token ?? this.#tokens.get(ask.as) ?? '';
    const attempt: Attempt = { ask, token, line, isWhole: false, applied: 0 };
    this.#attempts.push(attempt);
    await this.#send(attempt, await this.#textOf(ask, token));
    const reply = await line.reply(this.#later(PATIENCE_MS));
    if (reply === undefined || reply.headers['connection'] === 'close' || !attempt.isWhole) line.leave('end');
    if (reply === undefined) return attempt;
    attempt.status = reply.status;
    attempt.body = reply.body;
    try {
      mustConform(ask.method, pathOf(ask), reply);
    } catch (error) {
      this.#violate('answer', String(error));
    }
    if (reply.status !== 200) return attempt;
    if (isWrite(ask) && !(await this.#isDone(ask)))
      this.#violate('claimed', `${titleOf(ask)} is answered with 200, and not stored`);
    // A write may be answered without the object.
    const isShown = ask.shows !== undefined && !(isWrite(ask) && reply.body === '');
    if (isShown && !has(valueOf(reply), ask.shows)) this.#violate('answer', `${titleOf(ask)}: ${reply.body}`);
    return attempt;
  }

  /** Sends the head and the body, up to the fault that ends it. */
  async #send(attempt: Attempt, [head, body]: readonly [string, string]): Promise<void> {
    const { ask, line } = attempt;
    const { copies = 1, headers = {} } = ask;
    const bytes = Buffer.from((head + body).repeat(copies));
    const find = this.#options.injector.placesIn(bytes.length, bytes.length / copies, titleOf(ask));
    let sent = 0;
    const send = (to: number): void => {
      attempt.isWhole ||= to * copies >= bytes.length;
      if (to > sent) line.send(bytes.subarray(sent, to));
      sent = to;
    };
    for (const end of headers['Expect'] === undefined ? [bytes.length] : [head.length, bytes.length]) {
      if (sent > 0 && !(await line.mayContinue(this.#later(PATIENCE_MS)))) return;
      for (let hit = find(sent, end); hit !== undefined; hit = find(sent, end)) {
        send(hit.after);
        if (hit.what.kind === 'slow') await this.#later(hit.what.ms);
        else {
          if (hit.what.kind === 'silence' && !attempt.isWhole) this.gateway.expire(line.socket);
          if (hit.what.kind === 'end' || hit.what.kind === 'reset') line.leave(hit.what.kind);
          return;
        }
      }
      send(end);
    }
  }

  async #textOf(ask: Ask, token: string): Promise<readonly [string, string]> {
    const { method, headers = {}, body = '', chunk } = ask;
    const stored = ask.name === undefined ? undefined : await this.#hands.find(ask.type, nameOf(ask));
    // As long in each run, so that each byte has its place.
    const revision = JSON.stringify(stored?.metadata.resourceVersion ?? '1').padEnd(12);
    const filled = body.replace('"REVISION"', revision);
    const length =
      chunk === undefined ? { 'Content-Length': String(filled.length) } : { 'Transfer-Encoding': 'chunked' };
    const all = { Host: 'localhost', COOKIE: `Authorization: Bearer ${token}`, ...(body !== '' && length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value.replace('"REVISION"', revision)}\r\n`);
    const head = `${method} ${pathOf(ask)} HTTP/1.1\r\n${lines.join('')}\r\n`;
    return [head, chunk === undefined ? filled : chunked(filled, chunk)];
  }

  /** Whether what is stored is as after the write. */
  async #isDone(ask: Ask): Promise<boolean> {
    const stored = await this.#hands.find(ask.type, nameOf(ask));
    return ask.spec === undefined ? stored === undefined : has(stored, { spec: ask.spec });
  }

  #later(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.simulation.after(ms, resolve));
  }

  #violate(rule: string, detail: string): void {
    this.#options.violate(rule, detail);
  }
}

function isWrite({ method, suffix }: Ask): boolean {
  return method !== 'GET' && suffix === undefined;
}

/** What a client asks for when it does not know whether its write was carried out. */
function readOf({ as, type, name, spec, ...ask }: Ask): Ask {
  const found = spec === undefined ? { code: 404 } : { code: 200, shows: { spec } };
  return {
    as,
    type,
    ...(name !== undefined && { name }),
    ...(ask.token !== undefined && { token: ask.token }),
    method: 'GET',
    ...found,
  };
}

function titleOf({ as, method, type, name = '', suffix = '' }: Ask): string {
  return `${as} ${method} ${type.kind} ${name}${suffix}`;
}

function nameOf({ type, name = '' }: Ask): ObjectName {
  return type.namespaced ? { name, namespace: TEAM } : { name };
}

/** At the API server. */
function upstreamPath(ask: Ask): string {
  const { method, type, name } = ask;
  if (name !== undefined && method !== 'POST') return objectPath(type, nameOf(ask));
  return collectionPath(type, type.namespaced ? TEAM : undefined);
}

function pathOf(ask: Ask): string {
  const path = ask.suffix === undefined ? upstreamPath(ask) : objectPath(ask.type, nameOf(ask)) + ask.suffix;
  return `/platform${ask.type.namespaced ? path.replace('/apis', '') : path}`;
}

function chunked(text: string, size: number): string {
  const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
}

function valueOf({ headers, body }: Reply): unknown {
  return headers['content-type'] === 'application/json' ? JSON.parse(body) : load(body);
}

/** Whether all that is wanted is there: fields may be more, items of a list may not. */
function has(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return found === wanted;
  if (Array.isArray(wanted) && (!Array.isArray(found) || found.length !== wanted.length)) return false;
  return Object.entries(wanted).every(([key, value]) => has(Object(found)[key], value));
}
