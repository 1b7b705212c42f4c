import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isLoopback } from '../../runtime/http/host.js';
import { ApiError, errorText } from '../../runtime/errors.js';
import type { Clock } from '../../runtime/clock.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { parseJson } from '../../runtime/vocabulary/json.js';
import { AS_OF_HEADER, BUILD_HEADER, type Answer, type Status, type Withheld } from '../wire/answer.js';
import type { Asset, Assets } from './assets.js';
import { HEADERS, isOwn, type Entrance } from './guard.js';
import { undecidedIn } from './placements.js';
import { RequestError } from './requests.js';
import { routeOf, type Found, type Hub } from './routes.js';

/** The server of the console: the page for everybody who reaches it, the API for a session. */

export interface ServerParts {
  readonly assets: Assets;
  readonly entrance: Entrance;
  readonly clock: Clock;
}

const API = '/api/v1/';
/** For a year. */
const HSTS = ['strict-transport-security', 'max-age=31536000'] as const;
const MOST_BODY_BYTES = 262_144;
/** Of the code of a link, which proves who sends it: nobody has before. */
const MOST_CODE_BYTES = 1_024;
/** On a person's machine. */
const MOST_CONNECTIONS = 256;
/** An answer that is not read by then is given up: it is kept until then. */
const MOST_SENDING_MS = 60_000;
const JSON_TYPE = 'application/json';

/** Listens on a loopback address. @throws Error for an address that is not free. */
export async function listen(parts: ServerParts, address: { host: string; port: number }): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: 30_000, requestTimeout: 30_000 },
    (request, response) => void respond(parts, request, response),
  );
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Answers one request; never rejects. */
export async function respond(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = { request, response, clock: parts.clock };
  try {
    await answerRequest(parts, exchange);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else await sendError(exchange, error);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
}

async function answerRequest({ assets, entrance }: ServerParts, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const origin = entrance.originOf(request.headers, request.socket.localPort ?? 0);
  if (origin === undefined) throw new RequestError(421, 'this host name is not one of the console');
  // For `localhost` it would count for every port of a person's machine.
  const { protocol, hostname } = new URL(origin);
  if (protocol === 'https:' && !isLoopback(hostname)) response.setHeader(...HSTS);
  const prefix = prefixOf(request.headers);
  const url = urlOf(request, origin);
  // A proxy may take the prefix away, or pass it on.
  if (prefix !== '' && `${url.pathname}/`.startsWith(`${prefix}/`)) url.pathname = url.pathname.slice(prefix.length);
  if (!url.pathname.startsWith('/api/')) return sendPage(exchange, assets, { url, prefix });
  response.setHeader(BUILD_HEADER, assets.build);
  if (!isOwn(request.headers, origin)) throw new RequestError(403, 'only the page of the console may ask');
  if (!url.pathname.startsWith(API)) throw new RequestError(404, `${url.pathname} was not found`);
  const path = url.pathname.slice(API.length);
  const segments = path.split('/').map(decoded);
  const visit = { request, origin, body: () => bodyOf(request, MOST_CODE_BYTES) };
  if (path === 'session') return sendJson(exchange, 200, (await entrance.session(visit)) ?? {});
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = async (hub: Hub): Promise<Found> => {
    const known = routeOf(request.method ?? '', segments);
    if (known === undefined) throw new RequestError(404, `${request.method} ${url.pathname} was not found`);
    const body = request.method === 'POST' ? await bodyOf(request, MOST_BODY_BYTES) : undefined;
    const given = { path: known.path, query: url.searchParams, body, address: path + url.search };
    return known.route.answer(hub, { ...given, gone: gone.signal });
  };
  await entrance.enter(visit, segments.join('/'), { answer, send: (found) => sendFound(exchange, found) });
}

/** Its path may be of another host, as a proxy is asked, or of none. @throws RequestError */
function urlOf({ url = '/' }: IncomingMessage, origin: string): URL {
  if (!url.startsWith('/') || url.startsWith('//')) throw new RequestError(400, 'the path is not one of this host');
  return new URL(url, origin);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RequestError(400, 'the path is not encoded');
  }
}

/** Reads the body, which is JSON. @throws RequestError for another type, and for a body that is too long */
async function bodyOf(request: IncomingMessage, most: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== JSON_TYPE) throw new RequestError(415, `the body must be ${JSON_TYPE}`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new RequestError(413, `the body must have at most ${most} bytes`);
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}

const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/**
 * Below which path a proxy shows the page, such as `/mce`; empty for none. Whoever sends the header gets a page that asks for
 * its files there, on the same origin: nobody has to be trusted.
 */
function prefixOf({ 'x-forwarded-prefix': given }: IncomingMessage['headers']): string {
  const prefix = typeof given === 'string' ? given.replace(/\/$/, '') : '';
  return PREFIX.test(prefix) ? prefix : '';
}

function sendPage(
  exchange: Exchange,
  assets: Assets,
  { url, prefix }: { readonly url: URL; readonly prefix: string },
): Promise<void> {
  const { request, response } = exchange;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new RequestError(405, 'want GET');
  const name = url.pathname.slice(1);
  const asset = assets.find(name);
  if (asset !== undefined) return sendAsset(exchange, asset);
  // A file of an earlier page: its shell has to be loaded again.
  if (/\.(js|css|svg|map)$/.test(name)) throw new RequestError(404, `${url.pathname} was not found`);
  if (prefix === '') return sendAsset(exchange, assets.shell);
  response.setHeader('content-type', assets.shell.contentType);
  return end(exchange, assets.shell.bytes.toString().replaceAll('="/', `="${prefix}/`));
}

function sendAsset(exchange: Exchange, asset: Asset): Promise<void> {
  const { request, response } = exchange;
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = ['br', 'gzip'].find((one) => accepted.includes(one));
  response.setHeader('content-type', asset.contentType);
  response.setHeader('vary', 'accept-encoding');
  if (asset.isHashed) response.setHeader('cache-control', 'public, max-age=31536000, immutable');
  if (encoding !== undefined) response.setHeader('content-encoding', encoding);
  return end(exchange, encoding === undefined ? asset.bytes : encoding === 'br' ? asset.brotli : asset.gzip);
}

/** What could not be read anywhere, and what was read of one namespace alone. */
function unreadOf({ refused, world, namespace }: FleetReading, besides: readonly Withheld[]): readonly Withheld[] {
  const whole = [...world.withheld, ...besides].map(({ resource, verb, status }) => ({ resource, verb, status }));
  const partly = refused.filter((one) => !whole.some(({ resource }) => resource === one.resource));
  const except = namespace === undefined ? {} : { except: namespace };
  return [...partly.map(({ resource, verb, status }) => ({ resource, verb, status, ...except })), ...whole];
}

/** JSON of the data of answers, and its hash: an answer is kept and sent to many. */
const texts = new WeakMap<object, { readonly json: string; readonly hash: string }>();

function textOf(data: object): { readonly json: string; readonly hash: string } {
  const known = texts.get(data);
  if (known !== undefined) return known;
  const json = JSON.stringify(data);
  const text = { json, hash: createHash('sha256').update(json).digest('base64url') };
  texts.set(data, text);
  return text;
}

/** The tag is of the data and what is missing: the time of the reading changes nothing. */
async function sendFound(exchange: Exchange, { current, data, withheld = [] }: Found): Promise<void> {
  const { request, response } = exchange;
  const { reading } = current.snapshot;
  const unread = unreadOf(reading, withheld);
  const asOf = new Date(current.asOf).toISOString();
  const stop = undecidedIn(current.snapshot);
  const { json, hash } = textOf(data);
  const tag = `"${createHash('sha256')
    .update(JSON.stringify([hash, unread, current.stale, stop]))
    .digest('base64url')}"`;
  response.setHeader('etag', tag);
  response.setHeader(AS_OF_HEADER, asOf);
  if (request.headers['if-none-match'] === tag) {
    response.statusCode = 304;
    return end(exchange);
  }
  const rest: Omit<Answer<unknown>, 'data'> = {
    asOf,
    ...(current.stale === undefined ? {} : { stale: current.stale }),
    ...(stop === undefined ? {} : { undecided: stop }),
    withheld: unread,
    ...(reading.namespace === undefined ? {} : { namespace: reading.namespace }),
  };
  await sendCompressed(exchange, `{"data":${json},${JSON.stringify(rest).slice(1)}`);
}

/** What fits into one packet is sent as it is. */
const SHORT = 1_400;

async function sendCompressed(exchange: Exchange, json: string): Promise<void> {
  const { request, response } = exchange;
  response.setHeader('content-type', JSON_TYPE);
  response.setHeader('vary', 'accept-encoding');
  if (json.length < SHORT || !String(request.headers['accept-encoding'] ?? '').includes('gzip'))
    return end(exchange, json);
  response.setHeader('content-encoding', 'gzip');
  return end(exchange, await promisify(gzip)(json, { level: 1 }));
}

function sendJson(exchange: Exchange, code: number, value: unknown): Promise<void> {
  exchange.response.statusCode = code;
  exchange.response.setHeader('content-type', JSON_TYPE);
  return end(exchange, JSON.stringify(value));
}

/** Ends the response; resolves when it was read, or given up. Of HEAD it has no body. */
function end({ response, clock }: Exchange, body?: string | Buffer): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.after(MOST_SENDING_MS, () => {
      response.destroy();
      // One that waits for another on its connection is not closed by that.
      resolve();
    });
    response.once('close', () => {
      timer.cancel();
      resolve();
    });
    response.end(body);
  });
}

function sendError(exchange: Exchange, error: unknown): Promise<void> {
  const { response } = exchange;
  if (error instanceof RequestError)
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  // A body that is not read to its end would be taken for the next request.
  response.setHeader('connection', 'close');
  const status = statusOf(error);
  return sendJson(exchange, status.code, status);
}

function statusOf(error: unknown): Status {
  const code = error instanceof RequestError ? error.code : error instanceof ApiError ? 502 : 500;
  const reason = error instanceof ApiError ? error.kind : 'Refused';
  const meant = error instanceof RequestError && error.meant.length > 0 ? { meant: error.meant } : {};
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: errorText(error), ...meant };
}
