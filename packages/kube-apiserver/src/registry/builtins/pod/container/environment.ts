import { own, type JsonObject } from '@multicluster-engine/values/json';
import { child, invalidValue, notFoundValue, notSupported, required } from '@multicluster-engine/values/schema/field';
import { configMapKey, dns1123Label, dns1123Subdomain, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause, whenSet } from '../../validation/checks.js';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { parseQuantity, quantityText } from '@multicluster-engine/values/schema/struct/quantity';
import { allContainers } from '../containers.js';
import { noBacksteps } from '../../validation/paths.js';

const VARIABLE_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const HUGE_PAGES = /^(requests|limits)\.hugepages-/;
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
/** All field paths of Pods in v1; another path is an error of conversion. */
const KNOWN_FIELDS = [
  ...VARIABLE_FIELDS,
  'metadata.labels',
  'metadata.annotations',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'status.nominatedNodeName',
  'spec.hostNetwork',
];
const BYTE_UNITS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Validates `env` and `envFrom` of a container. */
export function checkEnvironment(container: JsonObject, path: string): readonly FieldError[] {
  const list = child(path, 'envFrom');
  return [
    ...each(container, 'env', path, checkVariable),
    ...each(container, 'envFrom', path, (source, at) => checkSource(source, at, list)),
  ];
}

function variableName(name: string): readonly string[] {
  if (/^[\x20-\x3c\x3e-\x7e]*$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

function checkVariable(variable: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(variable, 'name');
  const errors: FieldError[] =
    name === '' ? [required(child(path, 'name'))] : [...invalidBecause(child(path, 'name'), name, variableName(name))];
  if (!has(variable, 'valueFrom')) return errors;
  return [
    ...errors,
    ...checkValueFrom(structAt(variable, 'valueFrom'), textAt(variable, 'value'), child(path, 'valueFrom')),
  ];
}

function checkValueFrom(source: JsonObject, value: string, path: string): readonly FieldError[] {
  const sources = SOURCES.filter((name) => has(source, name));
  const errors: FieldError[] = [
    ...whenSet(source, 'fieldRef', path, (reference, at) => checkFieldRef(reference, VARIABLE_FIELDS, at)),
    ...whenSet(source, 'resourceFieldRef', path, checkResourceRef),
    ...whenSet(source, 'configMapKeyRef', path, checkKeyRef),
    ...whenSet(source, 'secretKeyRef', path, checkKeyRef),
    ...whenSet(source, 'fileKeyRef', path, checkFileRef),
  ];
  if (sources.length === 0)
    errors.push(
      invalidValue(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (value !== '') errors.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  else if (sources.length > 1)
    errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

/** @param supported the fields of the Pod that can be referenced here */
export function checkFieldRef(
  reference: JsonObject,
  supported: readonly string[],
  path: string,
): readonly FieldError[] {
  const version = textAt(reference, 'apiVersion');
  const field = textAt(reference, 'fieldPath');
  const at = child(path, 'fieldPath');
  if (version === '') return [required(child(path, 'apiVersion'))];
  if (field === '') return [required(at)];
  const [, base, subscript] = /^(.*)\['(.*)'\]$/.exec(field) ?? [];
  if (version !== 'v1')
    return [invalidValue(at, field, `error converting fieldPath: unsupported pod version: ${version}`)];
  if (base !== undefined && !base.startsWith('metadata.'))
    return [invalidValue(at, field, `error converting fieldPath: field label does not support subscript: ${field}`)];
  if (!KNOWN_FIELDS.includes(base ?? field))
    return [invalidValue(at, field, `error converting fieldPath: field label not supported: ${base ?? field}`)];
  if (base === undefined || subscript === undefined)
    return supported.includes(field) ? [] : [notSupported(at, field, supported)];
  if (base === 'metadata.labels') return invalidBecause(path, subscript, qualifiedName(subscript));
  if (base === 'metadata.annotations')
    return invalidBecause(path, subscript.toLowerCase(), qualifiedName(subscript.toLowerCase()));
  return [invalidValue(path, base, 'does not support subscript')];
}

/** Validates a resourceFieldRef of a volume, which has to name the container. */
export function checkVolumeResourceRef(reference: JsonObject, path: string): readonly FieldError[] {
  if (textAt(reference, 'containerName') !== '') return checkResourceRef(reference, path);
  const resource = textAt(reference, 'resource');
  return [
    required(child(path, 'containerName')),
    ...divisorErrors(resource, own(reference, 'divisor'), child(path, 'divisor')),
  ];
}

function checkResourceRef(reference: JsonObject, path: string): readonly FieldError[] {
  const resource = textAt(reference, 'resource');
  const errors: FieldError[] = [];
  if (resource === '') errors.push(required(child(path, 'resource')));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource))
    errors.push(notSupported(child(path, 'resource'), resource, RESOURCES));
  return [...errors, ...divisorErrors(resource, own(reference, 'divisor'), child(path, 'divisor'))];
}

function divisorErrors(resource: string, divisor: unknown, path: string): readonly FieldError[] {
  const quantity = typeof divisor === 'string' ? parseQuantity(divisor) : undefined;
  if (quantity === undefined || quantity.nanos === 0n) return [];
  const text = quantityText(quantity);
  if (resource.endsWith('.cpu'))
    return ['1m', '1'].includes(text)
      ? []
      : [invalidValue(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) return [];
  const what = resource.endsWith('.memory')
    ? 'memory'
    : resource.endsWith('.ephemeral-storage')
      ? 'local ephemeral storage'
      : 'hugepages';
  return BYTE_UNITS.includes(text)
    ? []
    : [
        invalidValue(
          path,
          resource,
          `only divisor's values ${BYTE_UNITS.join(', ')} are supported with the ${what} resource`,
        ),
      ];
}

function checkKeyRef(reference: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(reference, 'name');
  const key = textAt(reference, 'key');
  const errors = invalidBecause(child(path, 'name'), name, dns1123Subdomain(name));
  return [
    ...errors,
    ...(key === '' ? [required(child(path, 'key'))] : invalidBecause(child(path, 'key'), key, configMapKey(key))),
  ];
}

/** Validates a fileKeyRef: a variable in a file of a volume. */
function checkFileRef(reference: JsonObject, path: string): readonly FieldError[] {
  const [name, volume, file] = [textAt(reference, 'key'), textAt(reference, 'volumeName'), textAt(reference, 'path')];
  return [
    ...(name === '' ? [required(child(path, 'key'))] : invalidBecause(child(path, 'key'), name, variableName(name))),
    ...(volume === ''
      ? [required(child(path, 'volumeName'))]
      : invalidBecause(child(path, 'volumeName'), volume, dns1123Label(volume))),
    ...(file === '' ? [required(child(path, 'path'))] : noBacksteps(file, child(path, 'path'))),
  ];
}

/** The volume of a fileKeyRef has to exist and to be an emptyDir. */
export function checkFileVolumes(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = new Map(listAt(spec, 'volumes').map((volume) => [textAt(volume, 'name'), volume] as const));
  return allContainers(spec, path).flatMap(({ container, path: at }) =>
    each(container, 'env', at, (variable, place) => {
      const source = structAt(variable, 'valueFrom');
      if (!has(source, 'fileKeyRef')) return [];
      const name = textAt(structAt(source, 'fileKeyRef'), 'volumeName');
      const volume = volumes.get(name);
      const shown = child(place, 'valueFrom.fileKeyRef.volumeName');
      if (volume === undefined) return [notFoundValue(shown, name)];
      return has(volume, 'emptyDir') ? [] : [invalidValue(shown, name, 'referenced volume must be of type emptyDir')];
    }),
  );
}

/** Validates an item of envFrom. Some errors name the whole list. */
function checkSource(source: JsonObject, path: string, list: string): readonly FieldError[] {
  const prefix = textAt(source, 'prefix');
  const sources = ['configMapRef', 'secretRef'].filter((name) => has(source, name));
  const errors: FieldError[] =
    prefix === '' ? [] : [...invalidBecause(child(path, 'prefix'), prefix, variableName(prefix))];
  for (const name of sources) errors.push(...checkObjectRef(structAt(source, name), child(path, name)));
  if (sources.length === 0) errors.push(invalidValue(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (sources.length > 1) errors.push(invalidValue(list, '', 'may not have more than one field specified at a time'));
  return errors;
}

function checkObjectRef(reference: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(reference, 'name');
  return name === ''
    ? [required(child(path, 'name'))]
    : invalidBecause(child(path, 'name'), name, dns1123Subdomain(name));
}
