import type { Atom, ListAtom, MapAtom } from './atom.js';
import { memberAtom } from './atom.js';
import type { Element } from '../fieldpath/element.js';
import { memberName } from '../fieldpath/element.js';
import type { FieldNode, FieldSet } from '../fieldpath/fieldset.js';
import { NO_FIELDS } from '../fieldpath/fieldset.js';

/** The set with the named fields of structs added that have something below them. */
export function withStructs(set: FieldSet, atom: Atom): FieldSet {
  return mapNodes(set, (element, node) => {
    const name = memberName(element);
    const named = name !== undefined && node.below.size > 0 && atom.map?.fields.has(name) === true;
    const below = withStructs(node.below, atomBelow(atom, element));
    const self = node.self || named;
    return self === node.self && below === node.below ? node : { self, below };
  });
}

const NO_ATOM: Atom = {};

function atomBelow(atom: Atom, element: Element): Atom {
  const name = memberName(element);
  if (name !== undefined) return atom.map === undefined ? NO_ATOM : memberAtom(atom.map, name);
  return element.startsWith('k:') && atom.list !== undefined ? atom.list.item() : NO_ATOM;
}

/**
 * A set that was written when the schema was another one: what is owned inside of a value that is atomic now becomes
 * ownership of that value. Gives the same set when nothing is to be done.
 */
export function fitSchema(set: FieldSet, atom: Atom): FieldSet {
  const known = fitted.get(set);
  if (known?.atom === atom) return known.set;
  const fit = fitNode({ self: false, below: set }, atom).below;
  fitted.set(set, { atom, set: fit });
  return fit;
}

/** Sets are kept with the object that they were read from, and mostly asked for with one schema. */
const fitted = new WeakMap<FieldSet, { readonly atom: Atom; readonly set: FieldSet }>();

function fitNode(node: FieldNode, atom: Atom): FieldNode {
  const whole = node.self && node.below.size === 0;
  if (atom.map !== undefined) return atom.map.free ? node : fitMap(node, atom.map, whole);
  if (atom.scalar !== undefined || atom.list === undefined) return node;
  return fitList(node, atom.list, whole);
}

function fitMap(node: FieldNode, map: MapAtom, whole: boolean): FieldNode {
  if (!whole && map.atomic) return node.below.size > 0 ? { self: true, below: NO_FIELDS } : node;
  return fitBelow(node, (element) => {
    const name = memberName(element);
    if (name === undefined) return map.member?.();
    return map.fields.has(name) || map.member !== undefined ? memberAtom(map, name) : undefined;
  });
}

function fitList(node: FieldNode, list: ListAtom, whole: boolean): FieldNode {
  if (!whole && list.relation === 'atomic') return { self: true, below: NO_FIELDS };
  return fitBelow(node, () => list.item());
}

function fitBelow(node: FieldNode, atomOf: (element: Element) => Atom | undefined): FieldNode {
  const below = mapNodes(node.below, (element, inner) => {
    const atom = atomOf(element);
    return atom === undefined ? inner : fitNode(inner, atom);
  });
  return below === node.below ? node : { self: node.self, below };
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
