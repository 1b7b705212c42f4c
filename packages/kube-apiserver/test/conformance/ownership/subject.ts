import type { FieldsResource } from '../../../src/apply/resource.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Dice } from '../../../testing/random.js';

/** A kind whose objects the driver writes. */
export interface Subject {
  readonly resource: FieldsResource;
  /** Path of the collection: `/apis/apps/v1/namespaces/default/deployments`. */
  readonly path: string;
  /** Sets defaults in an object. Where undefined, a dry run on the server is used. */
  readonly complete: ((object: JsonObject) => JsonObject) | undefined;
  /** Generates a partial object for an apply. */
  readonly part: (dice: Dice) => JsonObject;
  /** Generates a complete object for a create. */
  readonly whole: (dice: Dice) => JsonObject;
  /** Generates a partial status; undefined where there is no status subresource. */
  readonly status: ((dice: Dice) => Json) | undefined;
  /** Paths that a merge patch may set to null. */
  readonly removable: readonly (readonly string[])[];
}

export function maybe(dice: Dice, share: number, make: () => JsonObject): JsonObject {
  return dice.chance(share) ? make() : {};
}

/** Generates some of the members. @param share the probability of each */
export function picked(dice: Dice, share: number, members: Readonly<Record<string, () => Json>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, make]) => (dice.chance(share) ? [[name, make()]] : [])),
  );
}
