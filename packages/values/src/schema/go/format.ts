import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import { compareBytes, goQuote } from '../../text.js';

/** `%v` of a decoded JSON value. */
export function goDefault(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goDefault).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const members = sortedEntries(value).map(([key, child]) => `${key}:${goDefault(child)}`);
  return `map[${members.join(' ')}]`;
}

/** `%#v` of a decoded JSON value. */
export function goSyntax(value: Json | undefined): string {
  if (value === undefined || value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return String(value);
  const members = sortedEntries(value).map(([key, child]) => `${goQuote(key)}:${goSyntax(child)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

/** `%T` of a decoded JSON value. */
export function goType(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** The name of a JSON type in the messages of Go's decoder: `object`, `array`, `string`, `number`, `bool`, `null`. */
export function jsonType(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function sortedEntries(value: JsonObject): [string, Json | undefined][] {
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => compareBytes(a, b));
}
