import { equal } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { keyOf } from '../registry/reader.js';
import type { Resource } from '../resource.js';
import type { Target } from './verbs.js';

export interface Apply {
  readonly target: Target;
  readonly manager: string;
  readonly live: KubeObject;
  readonly configuration: Json;
}

interface Known {
  readonly resource: Resource;
  readonly revision: string | undefined;
  readonly configuration: Json;
}

const MAX_ENTRIES = 10_000;

/**
 * Applications that changed nothing: a controller that repeats the same apply need not have it merged again. An entry
 * holds for one revision of the object and one state of its resource.
 */
export class NoOpApplies {
  readonly #known = new Map<string, Known>();

  has({ target, manager, live, configuration }: Apply): boolean {
    const known = this.#known.get(keyFor(target, manager));
    if (known === undefined || known.resource !== target.resource || known.revision !== live.metadata.resourceVersion)
      return false;
    return equal(known.configuration, configuration);
  }

  add({ target, manager, live, configuration }: Apply): void {
    const key = keyFor(target, manager);
    this.#known.delete(key);
    this.#known.set(key, { resource: target.resource, revision: live.metadata.resourceVersion, configuration });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_ENTRIES) return;
      this.#known.delete(oldest);
    }
  }
}

function keyFor({ resource, namespace, name, subresource }: Target, manager: string): string {
  return [resource.collection, subresource, keyOf(namespace, name), manager].join(' ');
}
