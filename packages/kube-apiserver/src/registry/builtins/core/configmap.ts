import { equal, own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { ALL_METADATA, forbiddenField, invalidValue, key, tooLong } from '@multicluster-engine/values/schema/field';
import { byteLength, compareBytes } from '@multicluster-engine/values/text';
import { configMapKey } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { invalidBecause } from '../validation/checks.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { emptyMapsOf, type Kind } from '../kind.js';

/** The limit of the values of a ConfigMap or a Secret together, in bytes. */
export const MAX_DATA_BYTES = 1024 * 1024;

export const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.ConfigMap',
  shortNames: ['cm'],
  // `data` is not listed: decoding a ConfigMap always yields it.
  emptyMapsIfImmutable: ['binaryData'],
  validate,
  validateUpdate: (next, old) => [
    ...immutableErrors(next, old, ['data', 'binaryData']),
    ALL_METADATA,
    ...validate(next),
  ],
};

function validate(map: KubeObject): readonly FieldError[] {
  const data = structAt(map, 'data');
  const binary = structAt(map, 'binaryData');
  const errors: FieldError[] = [];
  for (const name of Object.keys(data).sort(compareBytes)) {
    errors.push(...invalidBecause(key('data', name), name, configMapKey(name)));
    if (Object.hasOwn(binary, name))
      errors.push(invalidValue(key('data', name), name, 'duplicate of key present in binaryData'));
  }
  for (const name of Object.keys(binary).sort(compareBytes))
    errors.push(...invalidBecause(key('binaryData', name), name, configMapKey(name)));
  const size = totalLength(data, byteLength) + totalLength(binary, decodedLength);
  // kube-apiserver names the field of an error of the whole object `[]`.
  return size > MAX_DATA_BYTES ? [...errors, tooLong('[]', MAX_DATA_BYTES)] : errors;
}

/** The sum of the lengths of the values of a map. */
export function totalLength(map: JsonObject, length: (text: string) => number): number {
  return Object.keys(map).reduce((sum, name) => sum + length(textAt(map, name)), 0);
}

/** The number of bytes that a base64 text decodes to. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Errors of changes to an object with `immutable: true`. */
export function immutableErrors(next: KubeObject, old: KubeObject, fields: readonly string[]): readonly FieldError[] {
  if (old['immutable'] !== true) return [];
  const text = 'field is immutable when `immutable` is set';
  const emptyMaps = emptyMapsOf(next);
  const changed = fields.filter(
    (field) => emptyMaps.includes(field) || !equal(own(next, field) ?? {}, own(old, field) ?? {}),
  );
  return [...(next['immutable'] === true ? [] : ['immutable']), ...changed].map((field) => forbiddenField(field, text));
}
