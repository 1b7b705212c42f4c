import type { Server } from 'node:http';
import { listen, portOf } from '../../../../src/console/server/server.js';
import type { Assets } from '../../../../src/console/server/assets.js';
import { Sessions } from '../../../../src/console/server/session.js';
import { Snapshots } from '../../../../src/console/server/snapshot.js';
import { TYPES } from '../../../../src/cli/whatif/worlds.js';
import { WORLD_RESOURCES, type World } from '../../../../src/domain/fleet/world.js';
import type { ReadClient } from '../../../../src/runtime/client/client.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';

/** A console over plain HTTP whose hub is a world in memory. */

/** The hub: a test may change its world, refuse a kind, or take it away. */
export class MemoryHub {
  world: World;
  events: readonly KubeObject[] = [];
  /** The plural name of the kind that may not be listed. */
  refused: string | undefined;
  isDown = false;
  lists = 0;

  readonly client: ReadClient = {
    get: () => Promise.resolve(undefined),
    list: (type, _namespace, { fieldSelector = '' } = {}) => {
      this.lists += 1;
      const { plural, group } = type;
      const call = { verb: 'list', resource: `${plural}.${group}` };
      if (this.isDown) throw new ApiError({ kind: 'Transport', message: 'https://hub: connection refused', call });
      if (plural === this.refused) throw new ApiError({ kind: 'Forbidden', status: 403, message: 'forbidden', call });
      const resource = WORLD_RESOURCES.find((one) => TYPES[one] === type);
      const events = fieldSelector.startsWith('regarding.kind=Placement') ? this.events : [];
      // The caller asks for the type of the resource.
      return Promise.resolve((resource === undefined ? events : this.world.objects[resource]) as never[]);
    },
  };

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
    build: assets.build,
  };
  const transport = { call: () => Promise.reject(new Error('nothing is written here')) };
  const parts = { hub: { snapshots, client: hub.client, transport, session, namespace: undefined }, assets, sessions };
  const server = await listen(parts, { host: '127.0.0.1', port: 0 });
  return { hub, server, port: portOf(server), sessions };
}
