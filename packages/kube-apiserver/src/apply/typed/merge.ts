import { equal, isArray, isObject, own } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom, ListAtom, MapAtom } from './atom.js';
import { deduce, memberAtom } from './atom.js';
import type { Element } from '../fieldpath/element.js';
import { hasMembers, itemElement, membersOf } from './items.js';

/**
 * Merges `right` into `left`: objects by member, keyed lists by item, everything else as a whole. Nothing is removed.
 * Returns `left` itself when nothing changes, and shares unchanged parts. Undefined means absent. Both values must be
 * valid for the schema.
 */
export function merge(atom: Atom, left: Json | undefined, right: Json | undefined): Json | undefined {
  if (right === undefined || left === right) return left;
  if (left === undefined) return right;
  const { map, scalar, list } = deduce(atom, right);
  if (map !== undefined) return mergeMaps(map, left, right);
  if (scalar === undefined && list !== undefined) return mergeLists(list, left, right);
  return leaf(left, right);
}

function leaf(left: Json, right: Json): Json {
  return equal(left, right) ? left : right;
}

function mergeMaps(map: MapAtom, left: Json, right: Json): Json {
  const old = isObject(left) && hasMembers(left) ? left : undefined;
  const given = isObject(right) && hasMembers(right) ? right : undefined;
  if (map.atomic || (old === undefined && given === undefined)) return leaf(left, right);
  if (old === undefined) return right;
  return given === undefined ? left : mergeMembers(map, old, given);
}

function mergeMembers(map: MapAtom, old: JsonObject, given: JsonObject): JsonObject {
  const merged = new Map<string, Json>();
  let changed = false;
  for (const [name, child] of membersOf(old)) {
    const next = merge(memberAtom(map, name), child, own(given, name));
    changed ||= next !== child;
    if (next !== undefined) merged.set(name, next);
  }
  for (const [name, child] of membersOf(given)) {
    if (own(old, name) !== undefined) continue;
    merged.set(name, child);
    changed = true;
  }
  return changed ? Object.fromEntries(merged) : old;
}

function mergeLists(list: ListAtom, left: Json, right: Json): Json {
  const old = isArray(left) && left.length > 0 ? left : undefined;
  const given = isArray(right) && right.length > 0 ? right : undefined;
  if (list.relation === 'atomic' || (old === undefined && given === undefined)) return leaf(left, right);
  if (old === undefined) return right;
  if (given === undefined) return left;
  const merged = mergeItems(list, old, given);
  return merged.length === old.length && merged.every((item, index) => item === old[index]) ? left : merged;
}

/** The items of both lists by their path elements. */
interface Sides {
  readonly list: ListAtom;
  readonly lefts: ReadonlyMap<Element, Json>;
  readonly rights: ReadonlyMap<Element, Json>;
}

/**
 * Merges keyed lists with two pointers. Items of both lists take the order of `given`; items of the old list only keep
 * their position before the items that follow them there.
 */
function mergeItems(list: ListAtom, old: readonly Json[], given: readonly Json[]): Json[] {
  const { names: leftNames, found: lefts } = named(list, old);
  const { names: rightNames, found: rights } = named(list, given);
  const sides = { list, lefts, rights };
  const shared = rightNames.filter((name) => lefts.has(name));
  const done = new Set<Element>();
  const merged: Json[] = [];
  let next = 0;
  let l = 0;
  let r = 0;
  const takeRight = (name: Element): void => {
    done.add(name);
    append(merged, mergeItem(sides, name));
    r += 1;
    if (shared[next] === name) next += 1;
  };
  while (l < leftNames.length || r < rightNames.length) {
    const left = leftNames[l];
    const right = rightNames[r];
    if (left !== undefined && left === right) {
      l += 1;
      takeRight(left);
      continue;
    }
    if (
      left !== undefined &&
      right !== undefined &&
      rights.has(left) &&
      shared[next] !== undefined &&
      shared[next] !== left
    ) {
      l += 1;
      continue;
    }
    if (left !== undefined && !rights.has(left)) {
      append(merged, old[l]);
      l += 1;
      continue;
    }
    if (left !== undefined && done.has(left)) l += 1;
    if (right !== undefined) takeRight(right);
  }
  return merged;
}

function append(items: Json[], item: Json | undefined): void {
  if (item !== undefined) items.push(item);
}

function mergeItem({ list, lefts, rights }: Sides, name: Element): Json | undefined {
  return merge(list.item(), lefts.get(name), rights.get(name));
}

/** Items by their path elements. A duplicated item is replaced by null: it cannot be merged with. */
function named(list: ListAtom, items: readonly Json[]): { names: Element[]; found: Map<Element, Json> } {
  const names: Element[] = [];
  const found = new Map<Element, Json>();
  for (const item of items) {
    const name = itemElement(list, item);
    if (name === undefined) continue;
    found.set(name, found.has(name) ? null : item);
    names.push(name);
  }
  return { names, found };
}
