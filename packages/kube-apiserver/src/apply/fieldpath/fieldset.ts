import type { Element } from './element.js';
import { elementOrder } from './element.js';

/** A node of a field set: whether its path is in the set, and its children. */
export interface FieldNode {
  readonly member: boolean;
  readonly children: FieldSet;
}

/** An immutable set of field paths, as a tree. Every node is a member or has children. */
export type FieldSet = ReadonlyMap<Element, FieldNode>;

export const NO_FIELDS: FieldSet = new Map();

export function isEmpty(set: FieldSet): boolean {
  return set.size === 0;
}

/** Collects paths. The empty path is ignored: nobody owns the whole object. */
export class FieldSetBuilder {
  readonly #root: MutableSet = new Map();

  insert(path: readonly Element[]): void {
    let node: MutableNode | undefined;
    for (const element of path) {
      const level: MutableSet = node === undefined ? this.#root : childrenOf(node);
      node = level.get(element);
      if (node !== undefined) continue;
      node = { member: false, children: NO_CHILDREN };
      level.set(element, node);
    }
    if (node !== undefined) node.member = true;
  }

  /** The collected set. Nothing may be inserted afterwards. */
  build(): FieldSet {
    return this.#root;
  }
}

interface MutableNode {
  member: boolean;
  children: MutableSet;
}

type MutableSet = Map<Element, MutableNode>;

/** Shared by all leaves, of which there may be hundreds of thousands. Never modified. */
const NO_CHILDREN: MutableSet = new Map();

function childrenOf(node: MutableNode): MutableSet {
  if (node.children === NO_CHILDREN) node.children = new Map();
  return node.children;
}

export function setOf(...paths: readonly (readonly Element[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

export function has(set: FieldSet, path: readonly Element[]): boolean {
  let at: FieldNode | undefined;
  let level = set;
  for (const element of path) {
    at = level.get(element);
    if (at === undefined) return false;
    level = at.children;
  }
  return at?.member === true;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const joined = new Map(a);
  let changed = false;
  for (const [element, right] of b) {
    const left = a.get(element);
    const node =
      left === undefined
        ? right
        : { member: left.member || right.member, children: union(left.children, right.children) };
    if (left !== undefined && node.member === left.member && node.children === left.children) continue;
    joined.set(element, node);
    changed = true;
  }
  return changed ? joined : a;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const shared = new Map<Element, FieldNode>();
  for (const [element, left] of a) {
    const right = b.get(element);
    if (right === undefined) continue;
    put(shared, element, {
      member: left.member && right.member,
      children: intersection(left.children, right.children),
    });
  }
  return shared;
}

/** The paths in `a` that are not in `b`. Removing a path does not remove its descendants. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** The paths in `a` that are neither in `b` nor descendants of a path in `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const left = new Map<Element, FieldNode>();
  let changed = false;
  for (const [element, node] of a) {
    const taken = b.get(element);
    const kept = taken === undefined ? node : subtractNode(node, taken, recursive);
    changed ||= kept !== node;
    put(left, element, kept);
  }
  return changed ? left : a;
}

function subtractNode(node: FieldNode, taken: FieldNode, recursive: boolean): FieldNode {
  const kept = recursive && taken.member ? NO_FIELDS : subtract(node.children, taken.children, recursive);
  const member = node.member && !taken.member;
  return member === node.member && kept === node.children ? node : { member, children: kept };
}

function put(set: Map<Element, FieldNode>, element: Element, node: FieldNode): void {
  if (node.member || node.children.size > 0) set.set(element, node);
}

export function sameFields(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [element, left] of a) {
    const right = b.get(element);
    if (right === undefined || left.member !== right.member || !sameFields(left.children, right.children)) return false;
  }
  return true;
}

/** All paths in the order of the API server: the members of a level first, then their descendants. */
export function pathsOf(set: FieldSet): Element[][] {
  const found: Element[][] = [];
  const walk = (level: FieldSet, prefix: readonly Element[]): void => {
    const nodes = sortedNodes(level);
    for (const [element, node] of nodes) if (node.member) found.push([...prefix, element]);
    for (const [element, node] of nodes) walk(node.children, [...prefix, element]);
  };
  walk(set, []);
  return found;
}

export function sortedNodes(set: FieldSet): [Element, FieldNode][] {
  const nodes = [...set];
  if (nodes.length < 2) return nodes;
  const order = elementOrder();
  return nodes.sort(([a], [b]) => order(a, b));
}
