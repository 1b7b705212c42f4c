import type { AddressInfo } from 'node:net';
import { createServer } from 'node:https';
import { WORLD_RESOURCES, type WorldResource } from '../../src/answers/world/world.js';
import { TYPES } from '../../src/answers/world/worlds.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';

import { benchWorld, labelled } from './world.js';

/**
 * The API server of the bench, in a process of its own: a world in memory, in pages as large as they are asked for. It knows
 * every token `person-N…`, and lets each list everything. Arguments: how many clusters and Placements. Sends its port and
 * certificate to the process that has started it.
 */

export interface HubStart {
  readonly port: number;
  readonly certificate: string;
}

/** `change`: one more cluster has the label; `calls`: what has been asked since the last time, by kind of call. */
export type HubOrder = { readonly kind: 'change'; readonly index: number } | { readonly kind: 'calls' };

export interface Calls {
  readonly reviews: number;
  /** Lists of one object, which prove a right. */
  readonly proofs: number;
  /** Pages of lists. */
  readonly pages: number;
}

const [clusters = 0, placements = 0] = process.argv.slice(2).map(Number);
const world = benchWorld({ clusters, placements });
const texts = new Map<WorldResource, string[]>(
  WORLD_RESOURCES.map((one) => [one, world.objects[one].map((object) => JSON.stringify(object))]),
);
const PERSON = /^Bearer (person-\d+)-/;
let version = 1;
let calls = { reviews: 0, proofs: 0, pages: 0 };

/** Pages of one list are of one moment, whatever changes meanwhile: the clusters of the last ones, by version. */
const moments = new Map<number, readonly string[]>();
const MOST_MOMENTS = 50;

function momentOf(resource: WorldResource, at: number): readonly string[] {
  const all = texts.get(resource) ?? [];
  if (resource !== 'managedclusters') return all;
  const known = moments.get(at) ?? [...all];
  moments.set(at, known);
  const [oldest] = moments.keys();
  if (moments.size > MOST_MOMENTS && oldest !== undefined) moments.delete(oldest);
  return known;
}

/** `token`: `VERSION-FIRST`; empty for the first page. */
function listText(resource: WorldResource, limit: number, token: string): string {
  const [at = version, from = 0] = token === '' ? [] : token.split('-').map(Number);
  const all = momentOf(resource, at);
  const type = TYPES[resource];
  const until = from + limit;
  const more = until < all.length ? { continue: `${at}-${until}`, remainingItemCount: all.length - until } : {};
  const metadata = JSON.stringify({ resourceVersion: String(at), ...more });
  const head = `"apiVersion":"${apiVersionOf(type)}","kind":"${type.kind}List","metadata":${metadata}`;
  return `{${head},"items":[${all.slice(from, until).join()}]}`;
}

function answer(url: URL, user: string): readonly [code: number, text: string] {
  if (url.pathname.endsWith('/selfsubjectreviews')) {
    calls.reviews += 1;
    return [201, JSON.stringify({ status: { userInfo: { username: user } } })];
  }
  const resource = WORLD_RESOURCES.find((one) => url.pathname.endsWith(`/${one}`));
  if (resource === undefined) return [404, '{"kind":"Status","code":404,"reason":"NotFound"}'];
  const limit = Number(url.searchParams.get('limit') ?? Infinity);
  if (limit === 1) calls.proofs += 1;
  else calls.pages += 1;
  return [200, listText(resource, limit, url.searchParams.get('continue') ?? '')];
}

const pair = await issueServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], now: Date.now() });
const server = createServer(
  { cert: pair.certificate, key: pair.privateKey, keepAliveTimeout: 60_000 },
  (request, response) => {
    request.resume();
    const [, user] = PERSON.exec(request.headers.authorization ?? '') ?? [];
    const [code, text] =
      user === undefined
        ? [401, '{"kind":"Status","code":401,"reason":"Unauthorized"}']
        : answer(new URL(request.url ?? '/', 'https://hub'), user);
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(text);
  },
);
process.on('message', (order: HubOrder) => {
  if (order.kind === 'calls') {
    process.send?.(calls);
    calls = { reviews: 0, proofs: 0, pages: 0 };
    return;
  }
  const place = order.index % clusters;
  const before = world.objects.managedclusters[place];
  version += 1;
  if (before !== undefined) texts.get('managedclusters')?.splice(place, 1, JSON.stringify(labelled(before, version)));
});
// The bench has ended.
process.on('disconnect', () => process.exit(1));
server.listen(0, '127.0.0.1', () => {
  const start: HubStart = { port: (server.address() as AddressInfo).port, certificate: pair.certificate };
  process.send?.(start);
});
