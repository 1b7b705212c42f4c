import { isObject, own, withKey, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { has } from '../validation/checks.js';
import { listAt, structAt } from '@multicluster-engine/values/fields';

/** Drops fields of disabled features, as kube-apiserver does without a warning. Returns the same template where it has none. */
export function dropDisabledFields(template: JsonObject): JsonObject {
  const spec = structAt(template, 'spec');
  let next = has(spec, 'schedulingGroup') ? withKey(spec, 'schedulingGroup', undefined) : spec;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    const containers = own(spec, list);
    if (!Array.isArray(containers) || !containers.some(hasStopSignal)) continue;
    next = withKey(
      next,
      list,
      containers.map((container: Json) => (isObject(container) ? withoutStopSignal(container) : container)),
    );
  }
  next = withoutDisabledSources(next);
  return next === spec ? template : withKey(template, 'spec', next);
}

/** Sources of projected volumes that belong to disabled features. */
const DISABLED_SOURCES = ['clusterTrustBundle', 'podCertificate'];

/** Drops disabled sources. A source that sets nothing else remains as an empty struct. */
function withoutDisabledSources(spec: JsonObject): JsonObject {
  const volumes = listAt(spec, 'volumes');
  const isAffected = (volume: JsonObject): boolean =>
    listAt(structAt(volume, 'projected'), 'sources').some((source) =>
      DISABLED_SOURCES.some((name) => has(source, name)),
    );
  if (!volumes.some(isAffected)) return spec;
  return withKey(
    spec,
    'volumes',
    volumes.map((volume) => {
      if (!isAffected(volume)) return volume;
      const projected = structAt(volume, 'projected');
      return withKey(
        volume,
        'projected',
        withKey(
          projected,
          'sources',
          listAt(projected, 'sources').map((source) =>
            DISABLED_SOURCES.reduce((rest: JsonObject, name) => withKey(rest, name, undefined), source),
          ),
        ),
      );
    }),
  );
}

function hasStopSignal(container: Json): boolean {
  return isObject(container) && has(structAt(container, 'lifecycle'), 'stopSignal');
}

function withoutStopSignal(container: JsonObject): JsonObject {
  const lifecycle = structAt(container, 'lifecycle');
  if (!has(lifecycle, 'stopSignal')) return container;
  const rest = withKey(lifecycle, 'stopSignal', undefined);
  return withKey(container, 'lifecycle', has(rest, 'postStart') || has(rest, 'preStop') ? rest : undefined);
}
