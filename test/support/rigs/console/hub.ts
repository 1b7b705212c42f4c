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
import { asRecord, type JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import type { KubeObject, RawObject } from '../../../../src/runtime/vocabulary/meta.js';

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

function conflict(call: ApiError['call']): ApiError {
  const message = `Operation cannot be fulfilled on ${call.resource}: the object has been modified`;
  return new ApiError({ kind: 'Conflict', status: 409, message, call });
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
  /** The kinds whose definitions do not exist. */
  readonly unserved = new Set<string>();
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
      if (this.unserved.has(plural))
        throw new ApiError({ kind: 'ResourceMissing', status: 404, message: 'not found', call });
      const resource = WORLD_RESOURCES.find((one) => TYPES[one] === type);
      const events = fieldSelector.startsWith('regarding.kind=Placement') ? this.events : [];
      // The caller asks for the type of the resource.
      return asSent(resource === undefined ? events : this.world.objects[resource]) as never[];
    },
  };

  /** The writes that were allowed, without dry runs. */
  readonly written: string[] = [];

  /** What actions have sent, without dry runs. */
  readonly sent: Call[] = [];

  async write(call: Call): ReturnType<Transport['call']> {
    const { target, query, body = '' } = call;
    const { verb, resource, namespace, name } = target;
    if (resource.startsWith('selfsubjectaccessreviews')) return { status: 201, body: { status: this.#review(body) } };
    if (!this.allows(verb, resource.split('.')[0] ?? '', namespace)) throw forbidden(target);
    const isDryRun = query?.['dryRun'] !== undefined;
    if (!isDryRun) this.written.push(`${verb} ${resource} ${name}`);
    return { status: 200, body: verb === 'patch' ? this.#patched(call, isDryRun) : {} };
  }

  /** As {@link write}, and reads of one object. */
  async answer(call: Call): ReturnType<Transport['call']> {
    if (call.method !== 'GET') return this.write(call);
    const all = Object.values(this.world.objects).flat();
    const object = all.find(({ metadata }) => metadata.name === call.target.name && call.path.endsWith(metadata.name));
    if (object === undefined)
      throw new ApiError({ kind: 'NotFound', status: 404, message: 'not found', call: call.target });
    return { status: 200, body: asRecord(object) };
  }

  #review(body: string): { readonly allowed: boolean } {
    const { verb, resource, namespace } = JSON.parse(body).spec.resourceAttributes;
    return { allowed: this.allows(verb, resource, namespace) };
  }

  /** The object with the fields and annotations of the patch; another version of it is a conflict. */
  #patched(call: Call, isDryRun: boolean): JsonRecord {
    const { target, body = '' } = call;
    const resource = WORLD_RESOURCES.find((one) => target.resource.startsWith(`${one}.`));
    const { spec, metadata } = JSON.parse(body);
    const { [resource ?? 'placements']: all } = this.world.objects;
    const found = all.find((one) => one.metadata.name === target.name && one.metadata.namespace === target.namespace);
    const { resourceVersion: known = '0' } = found?.metadata ?? {};
    const { resourceVersion: read = known } = metadata;
    if (found === undefined || read !== known) throw conflict(target);
    const { maintenance: _maintenance, ...kept } = asRecord(found.spec);
    const isEnded = spec === undefined && metadata.annotations === undefined && metadata.labels === undefined;
    const annotations = { ...found.metadata.annotations, ...metadata.annotations };
    const resourceVersion = `${Number(known) + 1}`;
    const stored: RawObject = {
      ...found,
      metadata: { ...found.metadata, resourceVersion, annotations },
      spec: isEnded ? kept : { ...asRecord(found.spec), ...spec },
    };
    if (isDryRun) return asRecord(stored);
    this.sent.push(call);
    const objects = all.map((one) => (one === found ? stored : one));
    this.world = { ...this.world, objects: { ...this.world.objects, [resource ?? 'placements']: objects } };
    return asRecord(stored);
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
  const server = await listen({ assets, entrance, clock }, { host: '127.0.0.1', port: 0 });
  return { hub, server, port: portOf(server), sessions };
}

/** Ends a server with the connections that browsers keep. */
export function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
