import { isArray, isObject } from '../../json.js';
import type { Json } from '../../json.js';
import type { Atom, ListAtom, MapAtom } from './atom.js';
import { deduce, memberAtom } from './atom.js';
import type { Element } from '../fieldpath/element.js';
import { memberElement } from '../fieldpath/element.js';
import type { FieldNode, FieldSet } from '../fieldpath/fieldset.js';
import { NO_FIELDS } from '../fieldpath/fieldset.js';
import { hasMembers, itemElement, membersOf } from './items.js';

const NOTHING: FieldNode = { self: false, below: NO_FIELDS };
const LEAF: FieldNode = { self: true, below: NO_FIELDS };

/** The fields that a value mentions: leaves, items of lists, names in maps, nulls and empty objects. */
export function toSet(atom: Atom, value: Json): FieldSet {
  return nodeOf(atom, value).below;
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
  const below = new Map<Element, FieldNode>();
  for (const [name, child] of membersOf(value)) {
    const node = nodeOf(memberAtom(map, name), child);
    const self = node.self || child === null || (isObject(child) && !hasMembers(child)) || !map.fields.has(name);
    put(below, memberElement(name), self, node);
  }
  return { self: false, below };
}

function listNode(list: ListAtom, value: Json): FieldNode {
  if (list.relation === 'atomic') return LEAF;
  if (!isArray(value)) return NOTHING;
  const below = new Map<Element, FieldNode>();
  for (const item of value) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    // Of a repeated item only the item itself can be owned.
    put(below, element, true, below.has(element) ? LEAF : nodeOf(list.item(), item));
  }
  return { self: false, below };
}

function put(set: Map<Element, FieldNode>, element: Element, self: boolean, node: FieldNode): void {
  if (!self && node.below.size === 0) return;
  set.set(element, node.self === self ? node : { self, below: node.below });
}
