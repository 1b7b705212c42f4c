import { isObject, own, withKey, type Json, type JsonObject } from '../../../json.js';
import { has } from '../checks.js';
import { structAt } from '../fields.js';

/** A template without the fields of features that are off: the real server drops them without a word. The same template when it has none. */
export function withoutFeatures(template: JsonObject): JsonObject {
  const spec = structAt(template, 'spec');
  let next = has(spec, 'schedulingGroup') ? withKey(spec, 'schedulingGroup', undefined) : spec;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    const containers = own(spec, list);
    if (!Array.isArray(containers) || !containers.some(hasSignal)) continue;
    next = withKey(next, list, containers.map((container: Json) => (isObject(container) ? withoutSignal(container) : container)));
  }
  return next === spec ? template : withKey(template, 'spec', next);
}

function hasSignal(container: Json): boolean {
  return isObject(container) && has(structAt(container, 'lifecycle'), 'stopSignal');
}

function withoutSignal(container: JsonObject): JsonObject {
  const lifecycle = structAt(container, 'lifecycle');
  if (!has(lifecycle, 'stopSignal')) return container;
  const rest = withKey(lifecycle, 'stopSignal', undefined);
  return withKey(container, 'lifecycle', has(rest, 'postStart') || has(rest, 'preStop') ? rest : undefined);
}
