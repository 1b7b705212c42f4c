import type { FieldsResource } from '../../../src/apply/resource.js';
import type { Json, JsonObject } from '../../../src/json.js';
import type { Dice } from '../../../testing/random.js';

/** A kind whose objects the rig changes at random. */
export interface Subject {
  readonly resource: FieldsResource;
  /** Of the collection: `/apis/apps/v1/namespaces/default/deployments`. */
  readonly path: string;
  /** What a request makes of a body besides what it says: defaults. Undefined: the server is asked (dryRun). */
  readonly complete: ((object: JsonObject) => JsonObject) | undefined;
  /** A part of the object, to be applied. */
  readonly part: (dice: Dice) => JsonObject;
  /** A whole object that can be created. */
  readonly whole: (dice: Dice) => JsonObject;
  /** A part of the status, to be written by the subresource; undefined where there is none. */
  readonly status: ((dice: Dice) => Json) | undefined;
  /** Members that a merge patch may set to null. */
  readonly removable: readonly (readonly string[])[];
}

export function maybe(dice: Dice, share: number, make: () => JsonObject): JsonObject {
  return dice.chance(share) ? make() : {};
}

/** Some of the members. */
export function picked(dice: Dice, share: number, members: Readonly<Record<string, () => Json>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, make]) => (dice.chance(share) ? [[name, make()]] : [])),
  );
}
