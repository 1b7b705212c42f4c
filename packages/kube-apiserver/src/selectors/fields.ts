import { badRequest } from '../status.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../resource.js';

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** All terms must match; an empty list matches everything. */
export type FieldSelector = readonly Term[];

/** Parses a field selector (`metadata.name=a,spec.color!=red`). Throws 400 in the words of `fields.ParseSelector`. */
export function parseFields(text: string | undefined): FieldSelector {
  if (text === undefined || text === '') return [];
  const parts = splitTerms(text).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  // A term without a field and a value has no effect.
  return parts
    .filter((part) => part !== '')
    .map((part) => parseTerm(text, part))
    .filter(({ field, value }) => field !== '' || value !== '');
}

/** {@link parseFields} for a resource. Throws 400 also for a field that the resource does not support. */
export function parseFieldSelector(text: string | undefined, resource: Resource): FieldSelector {
  const terms = parseFields(text);
  for (const { field } of terms) if (!selectableBy(resource, field)) throw notSelectable(resource, field);
  return terms;
}

export function matchesFields(selector: FieldSelector, resource: Resource, object: KubeObject): boolean {
  return selector.every(({ field, equal, value }) => (fieldOf(resource, object, field) === value) === equal);
}

/** The value that a selector requires of a field; undefined where it requires none. */
export function exactMatch(selector: FieldSelector, field: string): string | undefined {
  return selector.find((term) => term.field === field && term.equal)?.value;
}

function fieldOf(resource: Resource, object: KubeObject, field: string): string {
  if (field === 'metadata.name') return object.metadata.name ?? '';
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  return Object.hasOwn(resource.selectable, field) ? (resource.selectable[field]?.(object) ?? '') : '';
}

/** Kinds without fields of their own support metadata.namespace even where they are cluster-scoped. */
function selectableBy(resource: Resource, field: string): boolean {
  if (field === 'metadata.name' || Object.hasOwn(resource.selectable, field)) return true;
  return field === 'metadata.namespace' && (resource.namespaced || !hasOwnFields(resource));
}

/** Resources with fields of their own and custom resources have another text than all others. */
function notSelectable(resource: Resource, field: string): Error {
  if (hasOwnFields(resource)) return badRequest(`field label not supported: ${field}`);
  return badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

function hasOwnFields(resource: Resource): boolean {
  return resource.custom || Object.keys(resource.selectable).length > 0;
}

/** Splits at commas that are not escaped by a backslash. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(selector: string, term: string): Term {
  for (let at = 0; at < term.length; at += 1) {
    const operator = ['!=', '==', '='].find((one) => term.startsWith(one, at));
    if (operator === undefined) continue;
    return { field: term.slice(0, at), equal: operator !== '!=', value: unescaped(term.slice(at + operator.length)) };
  }
  throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
}

function unescaped(value: string): string {
  let plain = '';
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === ',' || character === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    }
    if (character !== '\\') {
      plain += character;
      continue;
    }
    at += 1;
    const escaped = value.charAt(at);
    if (escaped !== '\\' && escaped !== ',' && escaped !== '=') {
      throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    plain += escaped;
  }
  return plain;
}
