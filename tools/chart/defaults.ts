import { field, isRecord } from '../../src/api/json.js';

/**
 * The template with its `.Values.a.b` replaced by expressions that stand missing keys: with `helm upgrade --reuse-values` the
 * values are those of an earlier chart, which does not have what came later. A missing setting has its default in
 * `values`, the content of values.yaml; a missing map or list is empty, so that `null` removes one as everywhere in Helm.
 * Throws an Error for a path that `values` does not have.
 */
export function withDefaults(template: string, values: unknown): string {
  return template.replaceAll(/\.Values((?:\.[a-zA-Z]+)+)/g, (_, dotted: string) => {
    const keys = dotted.slice(1).split('.');
    const value = keys.reduce<unknown>(field, values);
    if (value === undefined) throw new Error(`values.yaml has no ${keys.join('.')}, which a template reads`);
    return `(dig ${keys.map((key) => JSON.stringify(key)).join(' ')} ${literal(value)} .Values.AsMap)`;
  });
}

function literal(value: unknown): string {
  if (isRecord(value)) return 'dict';
  return Array.isArray(value) ? 'list' : JSON.stringify(value);
}
