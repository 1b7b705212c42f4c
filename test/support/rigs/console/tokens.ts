import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { TokenEntrance } from '../../../../src/console/hub/entrance.js';
import { People } from '../../../../src/console/hub/people.js';
import type { Assets } from '../../../../src/console/server/assets.js';
import { respond } from '../../../../src/console/server/server.js';
import { TYPES } from '../../../../src/answers/world/worlds.js';
import { WORLD_RESOURCES } from '../../../../src/answers/world/world.js';
import { apiVersionOf, Events } from '../../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import type { ServingPair } from '../../../../src/runtime/tls/serving.js';
import type { ApiResponse, Call } from '../../../../src/runtime/transport/call.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../builders/examplefleet.js';
import { asSent } from './hub.js';
import { RecordingLog } from '../../fakes/log.js';

/** The console on a hub, whose API server is a world in memory. */

/** A token that must be in no answer and no log. */
export const CANARY = 'canary-canary-canary';
export const HOST = 'console.example';

/** An API server in memory: who a token is, and what may not be listed. */
export class MemoryApi {
  readonly users = new Map([
    [CANARY, 'anna'],
    ['ben', 'ben'],
  ]);
  /** `user plural` that is refused; `user all plural`: everywhere but in namespace `shop`. */
  readonly refuses = new Set<string>();
  world = exampleWorld(EXAMPLE_SPEC);
  events: readonly KubeObject[] = [];
  readonly calls: string[] = [];
  isDown = false;

  connect(token: string): Transport {
    return {
      call: (call) => this.#answer(token, call),
      open: () => Promise.reject(new Error('no stream is read')),
      close: () => Promise.resolve(),
    };
  }

  async #answer(token: string, { target, path, query }: Call): Promise<ApiResponse> {
    const user = this.users.get(token);
    const one = query?.['limit'] === '1' ? ' limit=1' : '';
    this.calls.push(`${user ?? 'unknown'} ${target.verb} ${target.resource}${one}`);
    if (this.isDown) throw new ApiError({ kind: 'Transport', message: 'connection refused', call: target });
    if (user === undefined)
      throw new ApiError({ kind: 'Unauthorized', status: 401, message: 'Unauthorized', call: target });
    if (path.endsWith('selfsubjectreviews')) return { status: 201, body: { status: { userInfo: { username: user } } } };
    if (path.endsWith('selfsubjectaccessreviews')) return { status: 201, body: { status: { allowed: false } } };
    const [, within] = /\/namespaces\/([^/]+)\//.exec(path) ?? [];
    const plural = path.slice(path.lastIndexOf('/') + 1);
    const isRefused =
      this.refuses.has(`${user} ${plural}`) || (within !== 'shop' && this.refuses.has(`${user} all ${plural}`));
    const found = isRefused ? undefined : this.#listOf(plural);
    if (found === undefined) throw new ApiError({ kind: 'Forbidden', status: 403, message: 'forbidden', call: target });
    const { type, all } = found;
    const head = { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata: { resourceVersion: '1' } };
    const items = all.filter(({ metadata }) => within === undefined || metadata.namespace === within);
    return { status: 200, body: { ...head, items: asSent(items) } };
  }

  #listOf(plural: string): { readonly type: ResourceType; readonly all: readonly KubeObject[] } | undefined {
    if (plural === Events.plural) return { type: Events, all: this.events };
    const resource = WORLD_RESOURCES.find((one) => one === plural);
    return resource && { type: TYPES[resource], all: this.world.objects[resource] };
  }
}

export interface TokenConsole {
  readonly api: MemoryApi;
  readonly people: People;
  readonly log: RecordingLog;
  readonly server: Server;
}

/** `pair`: serves HTTPS with it; absent: plain HTTP. */
export async function startTokenConsole(
  assets: Assets,
  clock: Clock,
  pair?: Pick<ServingPair, 'cert' | 'key'>,
): Promise<TokenConsole> {
  const [api, log] = [new MemoryApi(), new RecordingLog()];
  const people = new People({ connect: (token) => api.connect(token), hub: 'https://hub', clock });
  const entrance = new TokenEntrance({ people, serves: (host) => host === HOST, clock, log });
  const listener: Parameters<typeof createServer>[1] = (request, response) =>
    void respond({ assets, entrance, clock }, request, response);
  const server =
    pair === undefined ? createServer(listener) : createHttpsServer({ cert: pair.cert, key: pair.key }, listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { api, people, log, server };
}
