import { RIGHTS } from '../../data/rights.js';
import type { JsonObject } from '@multicluster-engine/values/json';

/** The default roles and bindings of every cluster. */
export function bootstrapRbac(): readonly JsonObject[] {
  return Object.values(RIGHTS).map((text) => JSON.parse(text) as JsonObject);
}
