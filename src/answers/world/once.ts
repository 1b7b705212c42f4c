import { WorldInputs, type World } from './world.js';

/** The values that were computed of each world, by their keys. They are kept as long as the world, which never changes. */
const known = new WeakMap<World, Map<string, unknown>>();

/** The value that `compute` returns, computed once for each world and key. Each key belongs to one caller. */
export function once<T>(world: World, key: string, compute: () => T): T {
  const computed = known.get(world) ?? new Map<string, unknown>();
  known.set(world, computed);
  if (!computed.has(key)) computed.set(key, compute());
  // The cast is safe: the caller of a key always computes the same type.
  return computed.get(key) as T;
}

/** The inputs for decisions, as they are stored. A caller must not note a planned decision in them. */
export function inputsOf(world: World): WorldInputs {
  return once(world, 'inputs', () => new WorldInputs(world));
}
