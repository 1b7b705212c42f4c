import type { JsonObject } from '@multicluster-engine/values/json';
import { listAt } from '@multicluster-engine/values/fields';
import { child, index } from '@multicluster-engine/values/schema/field';

export interface LocatedContainer {
  readonly container: JsonObject;
  readonly path: string;
}

export function allContainers(spec: JsonObject, path: string): readonly LocatedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => {
    return listAt(spec, list).map((container, position) => ({ container, path: index(child(path, list), position) }));
  });
}
