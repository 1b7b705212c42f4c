import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, structAt, textAt, textEntries, textsAt } from '@multicluster-engine/values/fields';

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A label selector in the form of query parameters: `app=a,tier in (b,c)`; '' where it selects everything. */
export function selectorText(selector: Json | undefined): string {
  return requirementsOf(selector).join(',');
}

/** A label selector in a table cell, like `metav1.FormatLabelSelector`. */
export function formatSelector(selector: Json | undefined): string {
  return selectorText(selector) || '<none>';
}

function requirementsOf(selector: Json | undefined): string[] {
  if (!isObject(selector)) return [];
  const equal = textEntries(structAt(selector, 'matchLabels')).map(([key, value]): [string, string] => [
    key,
    `${key}=${value}`,
  ]);
  const others = listAt(selector, 'matchExpressions').map((one): [string, string] => [
    textAt(one, 'key'),
    requirement(one),
  ]);
  return [...equal, ...others].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, written]) => written);
}

function requirement(one: JsonObject): string {
  const listed = textsAt(one, 'values').toSorted().join(',');
  const operator = textAt(one, 'operator');
  return Object.hasOwn(OPERATORS, operator) ? (OPERATORS[operator]?.(textAt(one, 'key'), listed) ?? '') : '';
}
