import type { CelType } from '../language/celtype.js';
import { runtimeType, type Value } from './value.js';

/** Whether a value can be an argument of a type; what a list or a map holds is for the function to look at. */
export function fits(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'param' || type.kind === 'type') return true;
  const found = runtimeType(value);
  return found.kind === type.kind && ((type.kind !== 'struct' && type.kind !== 'opaque') || found.name === type.name);
}
