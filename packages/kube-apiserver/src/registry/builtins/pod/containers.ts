import type { JsonObject } from '../../../json.js';
import { listAt } from '../../../fields.js';
import { child, index } from '../../../schema/field.js';

export interface LocatedContainer {
  readonly container: JsonObject;
  readonly path: string;
}

export function allContainers(spec: JsonObject, path: string): readonly LocatedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => {
    return listAt(spec, list).map((container, position) => ({ container, path: index(child(path, list), position) }));
  });
}
