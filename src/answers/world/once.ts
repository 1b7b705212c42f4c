import { WorldInputs, type World } from './world.js';

/** What was computed of each world. Worlds do not change, and what is made of one goes with it. */
const known = new WeakMap<World, Map<string, unknown>>();

/** What `compute` makes of the world: once for each key, which is that of one caller. */
export function once<T>(world: World, key: string, compute: () => T): T {
  const computed = known.get(world) ?? new Map<string, unknown>();
  known.set(world, computed);
  if (!computed.has(key)) computed.set(key, compute());
  // One caller always computes the same type.
  return computed.get(key) as T;
}

/** The inputs of the decisions that are stored: nobody notes another decision in them. */
export function inputsOf(world: World): WorldInputs {
  return once(world, 'inputs', () => new WorldInputs(world));
}
