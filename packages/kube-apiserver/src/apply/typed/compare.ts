import { equal, isArray, isObject, own } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom, ListAtom, MapAtom } from './atom.js';
import { deduce, memberAtom, sameParts } from './atom.js';
import { scalarError } from './validate.js';
import type { Element } from '../fieldpath/element.js';
import { memberElement } from '../fieldpath/element.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { FieldSetBuilder } from '../fieldpath/fieldset.js';
import { hasMembers, itemElement, membersOf } from './items.js';

/** The difference between two objects. A container that is added or removed as a whole is listed itself too. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Walk {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
  readonly path: Element[];
}

interface Pair {
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

export function compare(atom: Atom, left: Json, right: Json): Comparison {
  const walk = {
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
    path: [],
  };
  compareAt(walk, atom, { left, right });
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

function compareAt(walk: Walk, atom: Atom, pair: Pair): void {
  if (pair.left === pair.right) return;
  const left = deduce(atom, pair.left);
  const right = deduce(atom, pair.right);
  if (pair.left !== undefined && pair.right !== undefined && !sameParts(left, right)) compareParts(walk, left, pair);
  const leaf = compareParts(walk, pair.right === undefined ? left : right, pair);
  if (leaf) return;
  if (pair.left === undefined) walk.added.insert(walk.path);
  else if (pair.right === undefined) walk.removed.insert(walk.path);
}

/** Compares the parts of an atom; returns whether the values were compared as a whole. */
function compareParts(walk: Walk, { map, scalar, list }: Atom, pair: Pair): boolean {
  if (map !== undefined) return compareMaps(walk, map, pair);
  if (scalar !== undefined) {
    if (scalarError(scalar, pair.left) === undefined || scalarError(scalar, pair.right) === undefined)
      compareLeaves(walk, pair);
    return true;
  }
  return list !== undefined && compareLists(walk, list, pair);
}

function compareLeaves(walk: Walk, { left, right }: Pair): true {
  if (left === undefined) walk.added.insert(walk.path);
  else if (right === undefined) walk.removed.insert(walk.path);
  else if (!equal(left, right)) walk.modified.insert(walk.path);
  return true;
}

function compareMaps(walk: Walk, map: MapAtom, pair: Pair): boolean {
  const left = objectOf(pair.left);
  const right = objectOf(pair.right);
  if (map.atomic || (!hasMembers(left) && !hasMembers(right))) return compareLeaves(walk, pair);
  for (const [name, child] of membersOf(left)) {
    compareBelow(walk, memberElement(name), memberAtom(map, name), { left: child, right: own(right, name) });
  }
  for (const [name, child] of membersOf(right)) {
    if (own(left, name) === undefined)
      compareBelow(walk, memberElement(name), memberAtom(map, name), { left: undefined, right: child });
  }
  return false;
}

function compareBelow(walk: Walk, element: Element, atom: Atom, pair: Pair): void {
  walk.path.push(element);
  compareAt(walk, atom, pair);
  walk.path.pop();
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function compareLists(walk: Walk, list: ListAtom, pair: Pair): boolean {
  const left = isArray(pair.left) ? pair.left : [];
  const right = isArray(pair.right) ? pair.right : [];
  if (list.relation === 'atomic' || (left.length === 0 && right.length === 0)) return compareLeaves(walk, pair);
  const lefts = byElement(list, left);
  const rights = byElement(list, right);
  for (const element of new Set([...lefts.keys(), ...rights.keys()])) {
    walk.path.push(element);
    compareItems(walk, list.item(), lefts.get(element) ?? [], rights.get(element) ?? []);
    walk.path.pop();
  }
  return false;
}

/** Duplicate items count as one value, which is added and removed together with the duplication. */
function compareItems(walk: Walk, item: Atom, left: readonly Json[], right: readonly Json[]): void {
  if (left.length <= 1 && right.length <= 1) {
    compareAt(walk, item, { left: left[0], right: right[0] });
  } else if (left.length >= 2 && right.length >= 2) {
    if (!equal(left, right)) walk.modified.insert(walk.path);
  } else if (left.length >= 2) {
    if (right.length > 0) compareAt(walk, item, { left: undefined, right: right[0] });
    walk.removed.insert(walk.path);
  } else {
    if (left.length > 0) compareAt(walk, item, { left: left[0], right: undefined });
    walk.added.insert(walk.path);
  }
}

function byElement(list: ListAtom, items: readonly Json[]): Map<Element, Json[]> {
  const found = new Map<Element, Json[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    const others = found.get(element);
    if (others === undefined) found.set(element, [item]);
    else others.push(item);
  }
  return found;
}
