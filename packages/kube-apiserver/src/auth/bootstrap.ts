import { RIGHTS } from '../data/rights.js';
import type { JsonObject } from '../json.js';

/** Roles and bindings that every cluster begins with. */
export function bootstrapRbac(): readonly JsonObject[] {
  return Object.values(RIGHTS).map((text) => JSON.parse(text) as JsonObject);
}
