import { own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Label } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause } from '../../validation/checks.js';
import { listAt, numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { parseQuantity } from '@multicluster-engine/values/schema/struct/quantity';
import { checkFieldRef, checkVolumeResourceRef } from '../container/environment.js';
import { localPath, noBacksteps } from '../../validation/paths.js';
import { requiredFields, PLUGIN_CHECKS } from './plugins.js';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const MODE_TEXT = 'must be a number between 0 and 0777 (octal), both inclusive';
const TEN_MINUTES = 600;
/** Sources of volumes, in the order in which kube-apiserver validates them. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];
const CHECKS: Readonly<Record<string, (source: JsonObject, path: string) => readonly FieldError[]>> = {
  emptyDir: checkEmptyDir,
  hostPath: checkHostPath,
  secret: (source, path) => checkKeys(source, 'secretName', path),
  configMap: (source, path) => checkKeys(source, 'name', path),
  ...PLUGIN_CHECKS,
  persistentVolumeClaim: (source, path) => requiredFields(source, ['claimName'], path),
  downwardAPI: (source, path) => [
    ...modeErrors(source, 'defaultMode', path),
    ...listAt(source, 'items').flatMap((file) => checkDownwardFile(file, path)),
  ],
  projected: checkProjected,
  nfs: checkNfs,
};

export interface CheckedVolumes {
  /** Names of the volumes without errors, which can be mounted. */
  readonly names: ReadonlySet<string>;
  readonly errors: readonly FieldError[];
}

export function checkVolumes(spec: JsonObject, path: string): CheckedVolumes {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [position, volume] of listAt(spec, 'volumes').entries()) {
    const at = index(child(path, 'volumes'), position);
    const name = textAt(volume, 'name');
    const found: FieldError[] = [...checkSource(volume, at)];
    found.push(
      ...(name === '' ? [required(child(at, 'name'))] : invalidBecause(child(at, 'name'), name, dns1123Label(name))),
    );
    if (names.has(name)) found.push(duplicate(child(at, 'name'), name));
    if (found.length === 0) names.add(name);
    errors.push(...found);
  }
  return { names, errors };
}

function checkSource(volume: JsonObject, path: string): readonly FieldError[] {
  const [first, ...more] = SOURCES.filter((name) => has(volume, name));
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const check = CHECKS[first];
  return [
    ...(check === undefined
      ? []
      : check(structAt(volume, first), child(path, first === 'gcePersistentDisk' ? 'persistentDisk' : first))),
    ...more.map((name) =>
      forbiddenField(child(path, fieldNameInError(name)), 'may not specify more than 1 volume type'),
    ),
  ];
}

/** kube-apiserver misspells two names in the error of a second source. */
function fieldNameInError(name: string): string {
  return name === 'downwardAPI' ? 'downwarAPI' : name === 'cephfs' ? 'cephFS' : name;
}

function checkEmptyDir(source: JsonObject, path: string): readonly FieldError[] {
  const limit = own(source, 'sizeLimit');
  const negative = typeof limit === 'string' && (parseQuantity(limit)?.nanos ?? 0n) < 0n;
  return negative
    ? [forbiddenField(child(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
    : [];
}

function checkHostPath(source: JsonObject, path: string): readonly FieldError[] {
  const at = textAt(source, 'path');
  if (at === '') return [required(child(path, 'path'))];
  const type = textAt(source, 'type');
  const wrong = HOST_PATH_TYPES.includes(type) ? [] : [notSupported(child(path, 'type'), type, HOST_PATH_TYPES)];
  return [...noBacksteps(at, child(path, 'path')), ...wrong];
}

function checkNfs(source: JsonObject, path: string): readonly FieldError[] {
  const at = textAt(source, 'path');
  const errors = requiredFields(source, ['server', 'path'], path);
  return at.startsWith('/') ? errors : [...errors, invalidValue(child(path, 'path'), at, 'must be an absolute path')];
}

function checkKeys(source: JsonObject, name: string, path: string): readonly FieldError[] {
  return [
    ...requiredFields(source, [name], path),
    ...modeErrors(source, 'defaultMode', path),
    ...each(source, 'items', path, checkKeyToPath),
  ];
}

function modeErrors(source: JsonObject, field: string, path: string): readonly FieldError[] {
  const mode = own(source, field);
  return typeof mode === 'number' && (mode < 0 || mode > 0o777)
    ? [invalidValue(child(path, field), mode, MODE_TEXT)]
    : [];
}

function checkKeyToPath(item: JsonObject, path: string): readonly FieldError[] {
  return [
    ...requiredFields(item, ['key', 'path'], path),
    ...localPath(textAt(item, 'path'), child(path, 'path')),
    ...modeErrors(item, 'mode', path),
  ];
}

function checkDownwardFile(file: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [
    ...requiredFields(file, ['path'], path),
    ...localPath(textAt(file, 'path'), child(path, 'path')),
  ];
  if (has(file, 'fieldRef')) {
    errors.push(...checkFieldRef(structAt(file, 'fieldRef'), VOLUME_FIELDS, child(path, 'fieldRef')));
    if (has(file, 'resourceFieldRef'))
      errors.push(invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (has(file, 'resourceFieldRef')) {
    errors.push(...checkVolumeResourceRef(structAt(file, 'resourceFieldRef'), child(path, 'resourceFieldRef')));
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...modeErrors(file, 'mode', path)];
}

function checkProjected(projected: JsonObject, path: string): readonly FieldError[] {
  const usedPaths = new Set<string>();
  const claim = (file: string, shown: string): readonly FieldError[] => {
    if (file === '' || !usedPaths.has(file)) return (usedPaths.add(file), []);
    return [invalidValue(path, shown, 'conflicting duplicate paths')];
  };
  const sources = each(projected, 'sources', path, (source, at) => {
    const errors: FieldError[] = [];
    for (const kind of ['secret', 'configMap'].filter((name) => has(source, name))) {
      const keys = structAt(source, kind);
      errors.push(...requiredFields(keys, ['name'], child(at, kind)));
      errors.push(
        ...each(keys, 'items', child(at, kind), (item, place) => [
          ...checkKeyToPath(item, place),
          ...claim(textAt(item, 'path'), textAt(keys, 'name')),
        ]),
      );
    }
    for (const file of listAt(structAt(source, 'downwardAPI'), 'items')) {
      errors.push(
        ...checkDownwardFile(file, child(at, 'downwardAPI')),
        ...claim(textAt(file, 'path'), textAt(file, 'path')),
      );
    }
    if (has(source, 'serviceAccountToken'))
      errors.push(...checkToken(structAt(source, 'serviceAccountToken'), child(at, 'serviceAccountToken'), path));
    const kinds = Object.keys(source).filter((name) => has(source, name));
    return kinds.length > 1
      ? [...errors, forbiddenField(at, 'may not specify more than 1 volume type per source')]
      : errors;
  });
  return [...modeErrors(projected, 'defaultMode', path), ...sources];
}

/** Errors of `path` name the volume, not the token. */
function checkToken(token: JsonObject, path: string, volume: string): readonly FieldError[] {
  const seconds: Json = numberAt(token, 'expirationSeconds');
  const at = child(path, 'expirationSeconds');
  const errors: FieldError[] = [];
  if (seconds < TEN_MINUTES) errors.push(invalidValue(at, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32) errors.push(invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const file = textAt(token, 'path');
  return [...errors, ...(file === '' ? [required(child(volume, 'path'))] : localPath(file, child(volume, 'path')))];
}
