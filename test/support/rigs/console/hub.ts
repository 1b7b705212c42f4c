import type { Server } from 'node:http';
import { listen, portOf } from '../../../../src/console/server/server.js';
import type { Assets } from '../../../../src/console/server/assets.js';
import { Planner } from '../../../../src/console/server/planner.js';
import { LinkEntrance, Sessions } from '../../../../src/console/server/session.js';
import { Snapshots } from '../../../../src/console/server/snapshot.js';
import { TYPES } from '../../../../src/answers/world/worlds.js';
import { WORLD_RESOURCES, type World } from '../../../../src/answers/world/world.js';
import type { ReadClient } from '../../../../src/runtime/client/client.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import type { Call } from '../../../../src/runtime/transport/call.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';

const texts = new WeakMap<object, string>();

/** Objects as a client has them from an API server: parsed anew, which is what takes the time of a reading. */
export function asSent<T extends object>(objects: readonly T[]): T[] {
  const text = (one: T): string => {
    const known = texts.get(one) ?? JSON.stringify(one);
    texts.set(one, known);
    return known;
  };
  return JSON.parse(`[${objects.map(text).join()}]`) as T[];
}

function forbidden(call: ApiError['call']): ApiError {
  const message = `User "somebody" cannot ${call.verb} ${call.resource}`;
  return new ApiError({ kind: 'Forbidden', status: 403, message, call });
}

/** A console over plain HTTP whose hub is a world in memory. */

/** The hub: a test may change its world, refuse a kind, or take it away. */
export class MemoryHub {
  world: World;
  events: readonly KubeObject[] = [];
  /** Whether the person may do this; undefined as a namespace: all. */
  allows: (verb: string, plural: string, namespace?: string) => boolean = () => true;
  isDown = false;
  /** What every list waits for before it is answered: a hub that hangs. */
  delay: (() => Promise<void>) | undefined;
  lists = 0;

  readonly client: ReadClient = {
    get: () => Promise.resolve(undefined),
    list: async (type, namespace, { fieldSelector = '' } = {}) => {
      this.lists += 1;
      await this.delay?.();
      const { plural, group } = type;
      const call = { verb: 'list', resource: `${plural}.${group}` };
      if (this.isDown) throw new ApiError({ kind: 'Transport', message: 'https://hub: connection refused', call });
      if (!this.allows('list', plural, namespace)) throw forbidden(call);
      const resource = WORLD_RESOURCES.find((one) => TYPES[one] === type);
      const events = fieldSelector.startsWith('regarding.kind=Placement') ? this.events : [];
      // The caller asks for the type of the resource.
      return asSent(resource === undefined ? events : this.world.objects[resource]) as never[];
    },
  };

  /** The writes that were allowed, without dry runs. */
  readonly written: string[] = [];

  write({ target, query }: Call): ReturnType<Transport['call']> {
    const { verb, resource, namespace, name } = target;
    if (!this.allows(verb, resource.split('.')[0] ?? '', namespace)) return Promise.reject(forbidden(target));
    if (query?.['dryRun'] === undefined) this.written.push(`${verb} ${resource} ${name}`);
    return Promise.resolve({ status: 200, body: {} });
  }

  constructor(world: World) {
    this.world = world;
  }
}

export interface MemoryConsole {
  readonly hub: MemoryHub;
  readonly server: Server;
  readonly port: number;
  readonly sessions: Sessions;
}

export async function startConsole(world: World, assets: Assets, clock: Clock): Promise<MemoryConsole> {
  const hub = new MemoryHub(world);
  const sessions = new Sessions(clock);
  const snapshots = new Snapshots({ client: hub.client, namespace: undefined, fallback: () => 'shop', clock });
  const session = {
    hub: 'https://hub',
    context: 'demo',
    user: '',
    namespace: 'shop',
    by: 'link',
  } as const;
  const transport = { call: (call: Call) => hub.write(call) };
  const entrance = new LinkEntrance(
    { snapshots, client: hub.client, transport, session, namespace: undefined, planner: new Planner(clock) },
    sessions,
  );
  const server = await listen({ assets, entrance }, { host: '127.0.0.1', port: 0 });
  return { hub, server, port: portOf(server), sessions };
}

/** Ends a server with the connections that browsers keep. */
export function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
