import type { Atom, ListAtom, MapAtom } from './atom.js';
import { memberAtom } from './atom.js';
import type { Element } from '../fieldpath/element.js';
import { memberName } from '../fieldpath/element.js';
import type { FieldNode, FieldSet } from '../fieldpath/fieldset.js';
import { NO_FIELDS } from '../fieldpath/fieldset.js';

/** Adds the struct fields that have descendants in the set. */
export function withStructs(set: FieldSet, atom: Atom): FieldSet {
  return mapNodes(set, (element, node) => {
    const name = memberName(element);
    const named = name !== undefined && node.children.size > 0 && atom.map?.fields.has(name) === true;
    const children = withStructs(node.children, atomBelow(atom, element));
    const member = node.member || named;
    return member === node.member && children === node.children ? node : { member, children };
  });
}

const NO_ATOM: Atom = {};

function atomBelow(atom: Atom, element: Element): Atom {
  const name = memberName(element);
  if (name !== undefined) return atom.map === undefined ? NO_ATOM : memberAtom(atom.map, name);
  return element.startsWith('k:') && atom.list !== undefined ? atom.list.item() : NO_ATOM;
}

/**
 * Adapts a set to a changed schema: ownership of members of a value that is atomic now becomes ownership of the whole
 * value. Returns the same set when nothing changes.
 */
export function reconcileWithSchema(set: FieldSet, atom: Atom): FieldSet {
  const known = reconciled.get(set);
  if (known?.atom === atom) return known.set;
  const adapted = reconcileNode({ member: false, children: set }, atom).children;
  reconciled.set(set, { atom, set: adapted });
  return adapted;
}

/** Sets are cached with the object that they were parsed from, and mostly used with one schema. */
const reconciled = new WeakMap<FieldSet, { readonly atom: Atom; readonly set: FieldSet }>();

function reconcileNode(node: FieldNode, atom: Atom): FieldNode {
  const whole = node.member && node.children.size === 0;
  if (atom.map !== undefined) return atom.map.deduced ? node : reconcileMap(node, atom.map, whole);
  if (atom.scalar !== undefined || atom.list === undefined) return node;
  return reconcileList(node, atom.list, whole);
}

function reconcileMap(node: FieldNode, map: MapAtom, whole: boolean): FieldNode {
  if (!whole && map.atomic) return node.children.size > 0 ? { member: true, children: NO_FIELDS } : node;
  return reconcileChildren(node, (element) => {
    const name = memberName(element);
    if (name === undefined) return map.member?.();
    return map.fields.has(name) || map.member !== undefined ? memberAtom(map, name) : undefined;
  });
}

function reconcileList(node: FieldNode, list: ListAtom, whole: boolean): FieldNode {
  if (!whole && list.relation === 'atomic') return { member: true, children: NO_FIELDS };
  return reconcileChildren(node, () => list.item());
}

function reconcileChildren(node: FieldNode, atomOf: (element: Element) => Atom | undefined): FieldNode {
  const children = mapNodes(node.children, (element, inner) => {
    const atom = atomOf(element);
    return atom === undefined ? inner : reconcileNode(inner, atom);
  });
  return children === node.children ? node : { member: node.member, children };
}

function mapNodes(set: FieldSet, change: (element: Element, node: FieldNode) => FieldNode): FieldSet {
  if (set.size === 0) return set;
  const changed = new Map<Element, FieldNode>();
  let same = true;
  for (const [element, node] of set) {
    const next = change(element, node);
    same &&= next === node;
    changed.set(element, next);
  }
  return same ? set : changed;
}
