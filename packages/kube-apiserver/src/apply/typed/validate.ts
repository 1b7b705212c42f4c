import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom, ListAtom, MapAtom, Scalar } from './atom.js';
import { deduce } from './atom.js';
import { elementText, memberElement } from '../fieldpath/element.js';
import { goDefault, goSyntax, goType } from '@multicluster-engine/values/schema/go/format';
import { itemName, membersOf } from './items.js';

/** A schema violation; `path` is like `.spec.list[k="a"]`. */
interface SchemaError {
  readonly path: string;
  readonly message: string;
}

const validated = new WeakMap<JsonObject, Atom>();

/** {@link schemaErrors} of a stored object, where duplicate items are allowed. Valid objects are cached. */
export function liveSchemaErrors(atom: Atom, live: JsonObject): string | undefined {
  if (validated.get(live) === atom) return undefined;
  const found = schemaErrors(atom, live, { allowDuplicates: true });
  if (found === undefined) validated.set(live, atom);
  return found;
}

interface Checking {
  readonly allowDuplicates: boolean;
  readonly found: SchemaError[];
}

interface ValidateOptions {
  readonly allowDuplicates?: boolean;
}

/**
 * Validates a value before merging: unknown fields, wrong types, items without keys, and duplicate items unless they
 * are allowed. Returns one message in the API server's format; undefined when the value is valid.
 */
export function schemaErrors(
  atom: Atom,
  value: Json,
  { allowDuplicates = false }: ValidateOptions = {},
): string | undefined {
  const found: SchemaError[] = [];
  check(atom, value, '', { allowDuplicates, found });
  const texts = found.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (texts.length < 2) return texts[0];
  return ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

function check(atom: Atom, value: Json, path: string, checking: Checking): void {
  const { map, scalar, list } = deduce(atom, value);
  if (map !== undefined) checkMap(map, value, path, checking);
  else if (scalar !== undefined) report(checking, path, scalarError(scalar, value));
  else if (list !== undefined) checkList(list, value, path, checking);
  else report(checking, path, 'schema error: invalid atom: inlined');
}

function report(checking: Checking, path: string, message: string | undefined): void {
  if (message !== undefined) checking.found.push({ path, message });
}

function checkMap(map: MapAtom, value: Json, path: string, checking: Checking): void {
  if (value === null) return;
  if (!isObject(value)) {
    report(checking, path, `expected map, got &{${goDefault(value)}}`);
    return;
  }
  for (const [name, child] of membersOf(value)) {
    const type = map.fields.get(name)?.type ?? map.member;
    const inner = `${path}${elementText(memberElement(name))}`;
    if (type === undefined) {
      report(checking, inner, 'field not declared in schema');
      return;
    }
    check(type(), child, inner, checking);
  }
}

function checkList(list: ListAtom, value: Json, path: string, checking: Checking): void {
  if (value === null) return;
  if (!isArray(value)) {
    report(checking, path, `expected list, got &{${goDefault(value)}}`);
    return;
  }
  if (list.relation === 'keyed') {
    checkItems(list, value, path, checking);
    return;
  }
  for (const [index, item] of value.entries()) check(list.item(), item, `${path}[${index}]`, checking);
}

function checkItems(list: ListAtom, items: readonly Json[], path: string, checking: Checking): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = itemName(list, item);
    if ('problem' in name) {
      report(checking, path, `element ${index}: ${name.problem}`);
      return;
    }
    const text = elementText(name.element);
    if (seen.has(name.element) && !checking.allowDuplicates)
      report(checking, path, `duplicate entries for key ${text}`);
    seen.add(name.element);
    check(list.item(), item, `${path}${text}`, checking);
  }
}

/** Why a value is not of a scalar type; null always is. */
export function scalarError(scalar: Scalar, value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goDefault(value)}}`;
    default:
      return typeof value !== 'object' ? undefined : `expected any scalar, got &{${goDefault(value)}}`;
  }
}
