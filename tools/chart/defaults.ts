import { field, isRecord } from '../../src/runtime/vocabulary/json.js';

/**
 * The template with its `.Values.a.b` replaced by variables that are set at its head, below its first line. They stand missing
 * keys: with `helm upgrade --reuse-values` the values are those of an earlier chart, which does not have what came later. A
 * missing setting has its default in `values`, the content of values.yaml; a missing map or list is empty, so that `null`
 * removes one as everywhere in Helm. Throws an Error for a path that `values` does not have.
 */
export function withDefaults(template: string, values: unknown): string {
  const settings = new Map<string, string>();
  const text = template.replaceAll(/\.Values((?:\.[a-zA-Z]+)+)/g, (_, dotted: string) => {
    const keys = dotted.slice(1).split('.');
    const value = keys.reduce<unknown>(field, values);
    if (value === undefined) throw new Error(`values.yaml has no ${keys.join('.')}, which a template reads`);
    const variable = `$${keys.map((key, index) => (index === 0 ? key : capitalized(key))).join('')}`;
    const path = keys.map((key) => JSON.stringify(key)).join(' ');
    settings.set(variable, `{{- ${variable} := dig ${path} ${literal(value)} .Values.AsMap -}}\n`);
    return variable;
  });
  const [first = '', ...rest] = text.split(/(?<=\n)/);
  return [first, ...settings.values(), ...rest].join('');
}

function capitalized(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}

function literal(value: unknown): string {
  if (isRecord(value)) return 'dict';
  return Array.isArray(value) ? 'list' : JSON.stringify(value);
}
