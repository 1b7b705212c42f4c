import { isArray, isObject, own } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { ListAtom } from './atom.js';
import type { Element, KeyField } from '../fieldpath/element.js';
import { keyElement, valueElement } from '../fieldpath/element.js';
import { goQuote } from '@multicluster-engine/values/text';

/** The path element that identifies an item of a keyed list, or why there is none. */
export type ItemName = { readonly element: Element } | { readonly problem: string };

export function itemName(list: ListAtom, item: Json): ItemName {
  if (list.relation !== 'keyed') return { problem: 'invalid indexing of non-associative list' };
  return list.keys.length > 0 ? keyedName(list, item) : setName(item);
}

/** The path element of an item; undefined when it has none. */
export function itemElement(list: ListAtom, item: Json): Element | undefined {
  const name = itemName(list, item);
  return 'element' in name ? name.element : undefined;
}

function keyedName(list: ListAtom, item: Json): ItemName {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { problem: 'associative list with keys may not have non-map elements' };
  const map = list.item().map;
  const fields: KeyField[] = [];
  for (const key of list.keys) {
    const value = own(item, key);
    if (value === undefined && map === undefined) {
      return { problem: `couldn't find default value for ${key}: associative list may not have non-map types` };
    }
    const known = value === undefined ? (map?.fields.get(key)?.default ?? undefined) : value;
    if (known !== undefined) fields.push([key, known]);
  }
  if (fields.length > 0) return { element: keyElement(fields) };
  const keys = `[${list.keys.map(goQuote).join(' ')}]`;
  return {
    problem: `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  };
}

function setName(item: Json): ItemName {
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (isArray(item)) return { problem: 'not supported: associative list with lists as elements' };
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  return { element: valueElement(item) };
}

/** The members of an object that are not undefined. */
export function membersOf(object: JsonObject): [string, Json][] {
  const members: [string, Json][] = [];
  for (const [key, value] of Object.entries(object)) if (value !== undefined) members.push([key, value]);
  return members;
}

export function hasMembers(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key) && object[key] !== undefined) return true;
  return false;
}
