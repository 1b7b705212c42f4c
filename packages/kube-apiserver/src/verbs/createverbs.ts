import { randomUUID } from 'node:crypto';
import { systemRandom } from '../clock.js';
import { NoOpApplies } from './noopapplies.js';
import { deleteCollection } from './deletecollection.js';
import type { Context } from './context.js';
import { create } from './create.js';
import { deleteObject } from './delete.js';
import { patch } from './patch.js';
import { get, list } from './read.js';
import { update } from './update.js';
import type { Verbs } from './verbs.js';
import { watch } from './watch/watch.js';

/** Tests can pass the random functions. */
export type VerbsDeps = Omit<Context, 'random' | 'uuid' | 'noOpApplies'> & Partial<Pick<Context, 'random' | 'uuid'>>;

export function contextOf(parts: VerbsDeps): Context {
  return { random: systemRandom, uuid: randomUUID, noOpApplies: new NoOpApplies(), ...parts };
}

/** The verbs over a store. Errors are thrown, or reject the promise. */
export function createVerbs(parts: VerbsDeps): Verbs {
  const context = contextOf(parts);
  return {
    get: (target, query) => get(context, target, query),
    list: (target, query) => list(context, target, query),
    watch: (target, query, caller) => watch(context, target, { query, caller }),
    create: async (target, body, query, caller) => create(context, target, body, { query, caller }),
    update: async (target, body, query, caller) => update(context, target, body, { query, caller }),
    patch: async (target, given, query, caller) => patch(context, target, given, { query, caller }),
    delete: async (target, body, query, caller) => deleteObject(context, target, body, { query, caller }),
    deleteCollection: async (target, body, query, caller) => deleteCollection(context, target, body, { query, caller }),
  };
}
