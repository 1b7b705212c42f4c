import { equal, own, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  forbiddenField,
  invalidRaw,
  invalidValue,
  key,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Label, dns1123Subdomain } from '@multicluster-engine/values/formats';
import { validateAnnotations } from '@multicluster-engine/values/schema/metadata/validate';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { has, invalidBecause, labelMap, whenSet } from '../../validation/checks.js';
import { structAt, textAt, textEntries, textsAt } from '@multicluster-engine/values/fields';
import { parseQuantity, quantityText } from '@multicluster-engine/values/schema/struct/quantity';
import { checkSelector } from '../../validation/labelselector.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

/** Metadata that a claim template cannot set, in the order of the struct. Labels and annotations are allowed. */
const FORBIDDEN_METADATA = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Validates the volumeClaimTemplate of an ephemeral volume. */
export function checkClaimTemplate(template: JsonObject, path: string): readonly FieldError[] {
  const metadata = structAt(template, 'metadata');
  const spec = structAt(template, 'spec');
  const [about, at] = [child(path, 'metadata'), child(path, 'spec')];
  return [
    ...validateAnnotations(
      Object.fromEntries(textEntries(structAt(metadata, 'annotations'))),
      child(about, 'annotations'),
    ),
    ...labelMap(structAt(metadata, 'labels'), child(about, 'labels')),
    ...FORBIDDEN_METADATA.filter((field) => has(metadata, field)).map((field) =>
      forbiddenField(child(about, field === 'uid' ? 'uID' : field), 'cannot be set'),
    ),
    ...(textsAt(spec, 'accessModes').length === 0
      ? [required(child(at, 'accessModes'), 'at least 1 access mode is required')]
      : []),
    ...whenSet(spec, 'selector', at, checkSelector),
    ...modeErrors(textsAt(spec, 'accessModes'), child(at, 'accessModes')),
    ...sizeErrors(structAt(structAt(spec, 'resources'), 'requests'), key(child(at, 'resources'), 'storage')),
    ...classErrors(spec, at),
    ...sourceErrors(spec, at),
  ];
}

function modeErrors(modes: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(path, mode, ACCESS_MODES));
  const others = modes.some((mode) => ACCESS_MODES.includes(mode) && mode !== 'ReadWriteOncePod');
  return others && modes.includes('ReadWriteOncePod')
    ? [...errors, forbiddenField(path, 'may not use ReadWriteOncePod with other access modes')]
    : errors;
}

function sizeErrors(requests: JsonObject, path: string): readonly FieldError[] {
  const size = own(requests, 'storage');
  const quantity = typeof size === 'string' ? parseQuantity(size) : undefined;
  if (quantity === undefined) return [required(path)];
  return quantity.nanos > 0n ? [] : [invalidValue(path, quantityText(quantity), 'must be greater than zero')];
}

function classErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const names = ['storageClassName', 'volumeAttributesClassName'].flatMap((field) => {
    const name = textAt(spec, field);
    return name === '' ? [] : invalidBecause(child(path, field), name, dns1123Subdomain(name));
  });
  const mode = textAt(spec, 'volumeMode');
  return has(spec, 'volumeMode') && !VOLUME_MODES.includes(mode)
    ? [...names, notSupported(child(path, 'volumeMode'), mode, VOLUME_MODES)]
    : names;
}

/** dataSource and dataSourceRef have to be equal where both are set. */
function sourceErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors = ['dataSource', 'dataSourceRef'].flatMap((field) => whenSet(spec, field, path, checkSource));
  if (!has(spec, 'dataSource') || !has(spec, 'dataSourceRef')) return errors;
  const [source, reference] = [structAt(spec, 'dataSource'), structAt(spec, 'dataSourceRef')];
  if (textAt(reference, 'namespace') !== '')
    return [...errors, invalidRaw(path, '{}', 'may not be specified when dataSourceRef.namespace is specified')];
  const alike = ['apiGroup', 'kind', 'name'].every((field) =>
    equal(own(source, field) ?? null, own(reference, field) ?? null),
  );
  return alike ? errors : [...errors, invalidRaw(path, '{}', 'must match dataSourceRef')];
}

function checkSource(source: JsonObject, path: string): readonly FieldError[] {
  const [group, kind, namespace] = [textAt(source, 'apiGroup'), textAt(source, 'kind'), textAt(source, 'namespace')];
  const errors: FieldError[] = ['name', 'kind']
    .filter((field) => textAt(source, field) === '')
    .map((field) => required(child(path, field)));
  if (group === '' && kind !== 'PersistentVolumeClaim')
    errors.push(invalidValue(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (group !== '') errors.push(...invalidBecause(child(path, 'apiGroup'), group, dns1123Subdomain(group)));
  if (namespace !== '') errors.push(...invalidBecause(child(path, 'namespace'), namespace, dns1123Label(namespace)));
  return errors;
}
