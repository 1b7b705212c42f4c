import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A label selector of an object in the one-line form of queries: `app=a,tier in (b,c)`; '' when it selects everything. */
export function selectorText(selector: Json | undefined): string {
  return requirementsOf(selector).join(',');
}

/** As `metav1.FormatLabelSelector` writes it in tables. */
export function formatSelector(selector: Json | undefined): string {
  return selectorText(selector) || '<none>';
}

function requirementsOf(selector: Json | undefined): string[] {
  if (!isObject(selector)) return [];
  const labels = own(selector, 'matchLabels');
  const expressions = own(selector, 'matchExpressions');
  const equal = isObject(labels) ? Object.entries(labels).map(([key, value]): [string, string] => [key, `${key}=${String(value)}`]) : [];
  const others = isArray(expressions) ? expressions.filter(isObject).map((one): [string, string] => [text(one, 'key'), requirement(one)]) : [];
  return [...equal, ...others].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, written]) => written);
}

function requirement(one: JsonObject): string {
  const values = own(one, 'values');
  const listed = isArray(values) ? values.map(String).sort().join(',') : '';
  const operator = text(one, 'operator');
  return Object.hasOwn(OPERATORS, operator) ? (OPERATORS[operator]?.(text(one, 'key'), listed) ?? '') : '';
}

function text(value: JsonObject, key: string): string {
  const found = own(value, key);
  return typeof found === 'string' ? found : '';
}
