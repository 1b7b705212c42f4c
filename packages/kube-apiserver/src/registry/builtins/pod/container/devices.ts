import type { JsonObject } from '@multicluster-engine/values/json';
import { child, invalidValue, notFoundValue, required } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has } from '../../validation/checks.js';
import { listAt, textAt } from '@multicluster-engine/values/fields';

/** What checks of a container need of its pod. */
export interface ContainerContext {
  readonly spec: JsonObject;
  /** Names of the volumes that passed their checks. */
  readonly volumes: ReadonlySet<string>;
}

/** Validates volumeDevices, the block devices of a container. Only volumes of claims are allowed. */
export function checkDevices(
  container: JsonObject,
  { spec, volumes }: ContainerContext,
  path: string,
): readonly FieldError[] {
  if (listAt(container, 'volumeDevices').length === 0) return [];
  const mounts = listAt(container, 'volumeMounts');
  const [mounted, mountedAt] = [
    new Set(mounts.map((mount) => textAt(mount, 'name'))),
    new Set(mounts.map((mount) => textAt(mount, 'mountPath'))),
  ];
  const claims = claimNames(spec);
  const names = new Set<string>();
  const places = new Set<string>();
  return each(container, 'volumeDevices', path, (device, at) => {
    const [name, place] = [textAt(device, 'name'), textAt(device, 'devicePath')];
    const [nameAt, placeAt] = [child(at, 'name'), child(at, 'devicePath')];
    const errors: FieldError[] = name === '' ? [required(nameAt)] : [];
    if (names.has(name)) errors.push(invalidValue(nameAt, name, 'must be unique'));
    if (!volumes.has(name)) errors.push(notFoundValue(nameAt, name));
    else if (!claims.has(name))
      errors.push(
        invalidValue(
          nameAt,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      );
    if (place === '') errors.push(required(placeAt));
    if (places.has(place)) errors.push(invalidValue(placeAt, place, 'must be unique'));
    if (place.split('/').includes('..')) errors.push(invalidValue(placeAt, place, "can not contain backsteps ('..')"));
    else places.add(place);
    if (mounted.has(name)) errors.push(invalidValue(nameAt, name, 'must not already exist in volumeMounts'));
    if (mountedAt.has(place))
      errors.push(invalidValue(placeAt, place, 'must not already exist as a path in volumeMounts'));
    if (name !== '') names.add(name);
    return errors;
  });
}

/** Names of the volumes that are PersistentVolumeClaims, ephemeral ones included. */
function claimNames(spec: JsonObject): ReadonlySet<string> {
  const claims = listAt(spec, 'volumes').filter(
    (volume) => has(volume, 'persistentVolumeClaim') || has(volume, 'ephemeral'),
  );
  return new Set(claims.map((volume) => textAt(volume, 'name')));
}
