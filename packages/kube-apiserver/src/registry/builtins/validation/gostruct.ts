import { isObject, type Json } from '@multicluster-engine/values/json';
import { goJson } from '@multicluster-engine/values/text';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';

/* Values in messages, printed as Go prints the struct. */

export function goIntOrString(value: Json | undefined): string {
  return value === undefined || value === null ? 'null' : goJson(value);
}

/** A `*metav1.LabelSelector`. */
export function goSelectorJson(selector: Json | undefined): string {
  if (!isObject(selector)) return 'null';
  const labels = structAt(selector, 'matchLabels');
  const expressions = listAt(selector, 'matchExpressions').map((one) => {
    const values = textsAt(one, 'values');
    return `{"key":${goJson(textAt(one, 'key'))},"operator":${goJson(textAt(one, 'operator'))}${values.length === 0 ? '' : `,"values":${goJson(values)}`}}`;
  });
  const parts = [
    ...(Object.keys(labels).length === 0 ? [] : [`"matchLabels":${goJson(labels)}`]),
    ...(expressions.length === 0 ? [] : [`"matchExpressions":[${expressions.join(',')}]`]),
  ];
  return `{${parts.join(',')}}`;
}

/** An ObjectReference. */
export function goReference(reference: Json | undefined): string {
  if (!isObject(reference)) return 'null';
  const fields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  const name = (field: string): string =>
    field === 'uid' ? 'UID' : field === 'apiVersion' ? 'APIVersion' : field.charAt(0).toUpperCase() + field.slice(1);
  return `{${fields.map((field) => `"${name(field)}":${goJson(textAt(reference, field))}`).join(',')}}`;
}
