import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { Atom, ListAtom, MapAtom } from './atom.js';
import { deduce, memberAtom } from './atom.js';
import { memberElement } from '../fieldpath/element.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { itemElement, membersOf } from './items.js';

/**
 * Removes the members and items of a set. Shares unchanged parts. A container that becomes empty this way and is not in
 * the set itself becomes null, as in the API server.
 */
export function remove(atom: Atom, value: Json, removed: FieldSet): Json {
  if (removed.size === 0) return value;
  const { map, scalar, list } = deduce(atom, value);
  if (map !== undefined) return removeMembers(map, value, removed);
  if (scalar !== undefined) return value;
  return list === undefined ? null : removeItems(list, value, removed);
}

function removeMembers(map: MapAtom, value: Json, removed: FieldSet): Json {
  if (!isObject(value) || map.atomic) return null;
  const kept: [string, Json][] = [];
  let changed = false;
  for (const [name, child] of membersOf(value)) {
    const node = removed.get(memberElement(name));
    if (node?.member === true) {
      changed = true;
      continue;
    }
    const next = node === undefined ? child : remove(memberAtom(map, name), child, node.children);
    changed ||= next !== child;
    kept.push([name, next]);
  }
  if (kept.length === 0) return null;
  return changed ? Object.fromEntries(kept) : value;
}

function removeItems(list: ListAtom, value: Json, removed: FieldSet): Json {
  if (!isArray(value) || list.relation === 'atomic') return null;
  const kept: Json[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : removed.get(element);
    if (node?.member === true) continue;
    kept.push(node === undefined ? item : remove(list.item(), item, node.children));
  }
  if (kept.length === 0) return null;
  return kept.length === value.length && kept.every((item, index) => item === value[index]) ? value : kept;
}
