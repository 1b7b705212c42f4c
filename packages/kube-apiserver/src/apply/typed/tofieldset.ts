import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { Atom, ListAtom, MapAtom } from './atom.js';
import { deduce, memberAtom } from './atom.js';
import type { Element } from '../fieldpath/element.js';
import { memberElement } from '../fieldpath/element.js';
import type { FieldNode, FieldSet } from '../fieldpath/fieldset.js';
import { NO_FIELDS } from '../fieldpath/fieldset.js';
import { hasMembers, itemElement, membersOf } from './items.js';

const NOTHING: FieldNode = { member: false, children: NO_FIELDS };
const LEAF: FieldNode = { member: true, children: NO_FIELDS };

/** The fields of a value: leaves, list items, map keys, nulls and empty objects. */
export function toFieldSet(atom: Atom, value: Json): FieldSet {
  return nodeOf(atom, value).children;
}

function nodeOf(atom: Atom, value: Json): FieldNode {
  const { map, scalar, list } = deduce(atom, value);
  if (map !== undefined) return mapNode(map, value);
  if (scalar !== undefined) return LEAF;
  return list === undefined ? NOTHING : listNode(list, value);
}

function mapNode(map: MapAtom, value: Json): FieldNode {
  if (map.atomic) return LEAF;
  if (!isObject(value)) return NOTHING;
  const children = new Map<Element, FieldNode>();
  for (const [name, child] of membersOf(value)) {
    const node = nodeOf(memberAtom(map, name), child);
    const member = node.member || child === null || (isObject(child) && !hasMembers(child)) || !map.fields.has(name);
    put(children, memberElement(name), member, node);
  }
  return { member: false, children };
}

function listNode(list: ListAtom, value: Json): FieldNode {
  if (list.relation === 'atomic') return LEAF;
  if (!isArray(value)) return NOTHING;
  const children = new Map<Element, FieldNode>();
  for (const item of value) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    // A duplicated item can only be owned as a whole.
    put(children, element, true, children.has(element) ? LEAF : nodeOf(list.item(), item));
  }
  return { member: false, children };
}

function put(set: Map<Element, FieldNode>, element: Element, member: boolean, node: FieldNode): void {
  if (!member && node.children.size === 0) return;
  set.set(element, node.member === member ? node : { member, children: node.children });
}
