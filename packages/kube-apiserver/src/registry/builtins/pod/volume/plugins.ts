import { own, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  invalidRaw,
  invalidValue,
  key,
  notSupported,
  required,
  tooLong,
} from '@multicluster-engine/values/schema/field';
import { byteLength, goJson } from '@multicluster-engine/values/text';
import { dns1123Label, dns1123Subdomain } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { has, invalidBecause } from '../../validation/checks.js';
import { numberAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { checkClaimTemplate } from './claimtemplate.js';
import { relativePath } from '../../validation/paths.js';

/* Validation of volumes of storage systems, most of which are deprecated. */

type Check = (source: JsonObject, path: string) => readonly FieldError[];

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];
const DISKS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas';
/** At most this many pairs are validated, since each error quotes the whole list. */
const MAX_PAIRS = 100;
const PARTITION_TEXT = 'must be between 1 and 255, inclusive';
const IQN: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([0-9A-Za-z.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[0-9A-Fa-f]{16}$/,
  naa: /^naa.[0-9A-Fa-f]{32}$/,
};

export const PLUGIN_CHECKS: Readonly<Record<string, Check>> = {
  gitRepo: (source, path) => [
    ...requiredFields(source, ['repository'], path),
    ...relativePath(textAt(source, 'directory'), child(path, 'directory')),
  ],
  gcePersistentDisk: (source, path) => checkDisk(source, 'pdName', path),
  awsElasticBlockStore: (source, path) => checkDisk(source, 'volumeID', path),
  iscsi: checkIscsi,
  glusterfs: (source, path) => requiredFields(source, ['endpoints', 'path'], path),
  flocker: checkFlocker,
  rbd: (source, path) => [...checkMonitors(source, path), ...requiredFields(source, ['image'], path)],
  cinder: (source, path) => [
    ...requiredFields(source, ['volumeID'], path),
    ...checkSecretReference(source, 'secretRef', path),
  ],
  cephfs: checkMonitors,
  quobyte: checkQuobyte,
  fc: checkFibre,
  flexVolume: checkFlex,
  azureFile: (source, path) => requiredFields(source, ['secretName', 'shareName'], path),
  vsphereVolume: (source, path) => requiredFields(source, ['volumePath'], path),
  photonPersistentDisk: (source, path) => requiredFields(source, ['pdID'], path),
  portworxVolume: (source, path) => requiredFields(source, ['volumeID'], path),
  azureDisk: checkAzureDisk,
  storageos: checkStorageOs,
  scaleIO: (source, path) => requiredFields(source, ['gateway', 'system', 'volumeName'], path),
  csi: checkCsi,
  ephemeral: (source, path) =>
    has(source, 'volumeClaimTemplate')
      ? checkClaimTemplate(structAt(source, 'volumeClaimTemplate'), child(path, 'volumeClaimTemplate'))
      : [required(child(path, 'volumeClaimTemplate'))],
};

export function requiredFields(source: JsonObject, fields: readonly string[], path: string): readonly FieldError[] {
  return fields.filter((field) => textAt(source, field) === '').map((field) => required(child(path, field)));
}

function checkMonitors(source: JsonObject, path: string): readonly FieldError[] {
  return textsAt(source, 'monitors').length === 0 ? [required(child(path, 'monitors'))] : [];
}

function checkSecretReference(source: JsonObject, field: string, path: string): readonly FieldError[] {
  return has(source, field) ? requiredFields(structAt(source, field), ['name'], child(path, field)) : [];
}

function checkDisk(source: JsonObject, name: string, path: string): readonly FieldError[] {
  const partition = numberAt(source, 'partition');
  const errors = requiredFields(source, [name], path);
  return partition < 0 || partition > 255
    ? [...errors, invalidValue(child(path, 'partition'), partition, PARTITION_TEXT)]
    : errors;
}

function checkIscsi(source: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...requiredFields(source, ['targetPortal', 'iqn'], path)];
  const name = textAt(source, 'iqn');
  if (name !== '') errors.push(...iqnErrors(name, child(path, 'iqn')));
  const unit = numberAt(source, 'lun');
  if (unit < 0 || unit > 255)
    errors.push(invalidValue(child(path, 'lun'), unit, 'must be between 0 and 255, inclusive'));
  if ((source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true) && !has(source, 'secretRef'))
    errors.push(required(child(path, 'secretRef')));
  return has(source, 'initiatorName')
    ? [...errors, ...iqnErrors(textAt(source, 'initiatorName'), child(path, 'initiatorname'))]
    : errors;
}

function iqnErrors(name: string, path: string): readonly FieldError[] {
  const pattern = Object.entries(IQN).find(([prefix]) => name.startsWith(prefix))?.[1];
  if (pattern === undefined) return [invalidValue(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return pattern.test(name) ? [] : [invalidValue(path, name, 'must be valid format')];
}

function checkFlocker(source: JsonObject, path: string): readonly FieldError[] {
  const [name, id] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  const errors: FieldError[] = [];
  if (name === '' && id === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '')
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  return name.includes('/')
    ? [...errors, invalidValue(child(path, 'datasetName'), name, "must not contain '/'")]
    : errors;
}

function checkQuobyte(source: JsonObject, path: string): readonly FieldError[] {
  const registry = textAt(source, 'registry');
  const errors: FieldError[] = [];
  if (registry === '') errors.push(required(child(path, 'registry'), HOST_PORTS));
  else if (byteLength(textAt(source, 'tenant')) >= 65)
    errors.push(required(child(path, 'tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    errors.push(
      ...registry
        .split(',', MAX_PAIRS)
        .filter((pair) => !/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
        .map(() => invalidValue(child(path, 'registry'), registry, HOST_PORTS)),
    );
  return [...errors, ...requiredFields(source, ['volume'], path)];
}

function checkFibre(source: JsonObject, path: string): readonly FieldError[] {
  const [targets, ids] = [textsAt(source, 'targetWWNs'), textsAt(source, 'wwids')];
  const at = child(path, 'targetWWNs');
  const errors: FieldError[] = [];
  if (targets.length === 0 && ids.length === 0)
    errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targets.length > 0 && ids.length > 0)
    errors.push(invalidRaw(at, goJson(targets), 'targetWWNs and wwids can not be specified simultaneously'));
  if (targets.length === 0) return errors;
  const unit = own(source, 'lun');
  if (typeof unit !== 'number')
    return [...errors, required(child(path, 'lun'), 'lun is required if targetWWNs is specified')];
  return unit < 0 || unit > 255
    ? [...errors, invalidValue(child(path, 'lun'), unit, 'must be between 0 and 255, inclusive')]
    : errors;
}

function checkFlex(source: JsonObject, path: string): readonly FieldError[] {
  const reserved = Object.keys(structAt(source, 'options')).filter((option) =>
    /\.(kubernetes|k8s)\.io$/.test(
      `.${(option.includes('/') ? option.slice(0, option.indexOf('/')) : option).toLowerCase()}`,
    ),
  );
  return [
    ...requiredFields(source, ['driver'], path),
    ...reserved.map((option) =>
      invalidValue(key(child(path, 'options'), option), option, 'kubernetes.io and k8s.io namespaces are reserved'),
    ),
  ];
}

function checkAzureDisk(source: JsonObject, path: string): readonly FieldError[] {
  const [address, caching, kind] = [textAt(source, 'diskURI'), textAt(source, 'cachingMode'), textAt(source, 'kind')];
  const errors: FieldError[] = [...requiredFields(source, ['diskName', 'diskURI'], path)];
  if (!CACHING.includes(caching)) errors.push(notSupported(child(path, 'cachingMode'), caching, CACHING));
  if (!DISKS.includes(kind)) errors.push(notSupported(child(path, 'kind'), kind, DISKS));
  const [prefix, shown] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  return address.startsWith(prefix) ? errors : [...errors, notSupported(child(path, 'diskURI'), address, [shown])];
}

function checkStorageOs(source: JsonObject, path: string): readonly FieldError[] {
  const [name, namespace] = [textAt(source, 'volumeName'), textAt(source, 'volumeNamespace')];
  return [
    ...(name === ''
      ? [required(child(path, 'volumeName'))]
      : invalidBecause(child(path, 'volumeName'), name, dns1123Label(name))),
    ...(namespace === '' ? [] : invalidBecause(child(path, 'volumeNamespace'), namespace, dns1123Label(namespace))),
    ...checkSecretReference(source, 'secretRef', path),
  ];
}

function checkCsi(source: JsonObject, path: string): readonly FieldError[] {
  const driver = textAt(source, 'driver');
  const at = child(path, 'driver');
  const errors: FieldError[] = [];
  if (driver === '') errors.push(required(at));
  else
    errors.push(
      ...(byteLength(driver) > 63 ? [tooLong(at, 63)] : []),
      ...invalidBecause(at, driver, dns1123Subdomain(driver.toLowerCase())),
    );
  const secret = textAt(structAt(source, 'nodePublishSecretRef'), 'name');
  if (secret === '') return [...errors, ...checkSecretReference(source, 'nodePublishSecretRef', path)];
  return [...errors, ...invalidBecause(child(path, 'name'), secret, dns1123Subdomain(secret))];
}
