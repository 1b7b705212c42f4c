import type { KubeObject, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import type { PauseClient } from '../../../src/cli/commands/pause.js';
import type { World } from '../../../src/answers/world/world.js';
import type { ApplyOptions } from '../../../src/runtime/client/client.js';

/** Serves a world, and keeps what is applied; `drops`: its definition does not have the field. */
export class PauseHub implements PauseClient {
  readonly applied: KubeObject[] = [];
  readonly options: ApplyOptions[] = [];
  readonly #world: World;
  readonly #drops: boolean;

  constructor(world: World, drops = false) {
    this.#world = world;
    this.#drops = drops;
  }

  get<T extends KubeObject>(_type: ResourceType, { name }: ObjectName): Promise<T | undefined> {
    return Promise.resolve(this.#world.objects.placements.find((one) => one.metadata.name === name) as T | undefined);
  }

  list<T extends KubeObject>({ plural }: ResourceType): Promise<T[]> {
    return Promise.resolve([...((this.#world.objects as Record<string, readonly KubeObject[]>)[plural] ?? [])] as T[]);
  }

  apply<T extends KubeObject>(_type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    this.options.push(options);
    this.applied.push(object);
    return Promise.resolve(this.#drops ? { metadata: object.metadata } : object) as Promise<T>;
  }
}
