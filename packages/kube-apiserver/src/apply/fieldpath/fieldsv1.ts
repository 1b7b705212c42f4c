import { isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Element } from './element.js';
import { readElement } from './element.js';
import type { FieldNode, FieldSet } from './fieldset.js';
import { NO_FIELDS, sortedNodes } from './fieldset.js';

// Stored objects outlive a request and are immutable, so field sets parsed from them are cached.
const written = new WeakMap<FieldSet, JsonObject>();
const read = new WeakMap<JsonObject, FieldSet>();

/** Encodes a set as `fieldsV1`: `{"f:spec":{"f:a":{},"f:m":{".":{},"f:x":{}}}}`. */
export function writeFields(set: FieldSet): JsonObject {
  const known = written.get(set);
  if (known !== undefined) return known;
  const json = writeLevel(set);
  written.set(set, json);
  read.set(json, set);
  return json;
}

function writeLevel(set: FieldSet): JsonObject {
  return Object.fromEntries(sortedNodes(set).map(([element, node]) => [element, writeNode(node)]));
}

function writeNode(node: FieldNode): JsonObject {
  if (node.children.size === 0) return {};
  const inner = writeLevel(node.children);
  return node.member ? { '.': {}, ...inner } : inner;
}

/**
 * Parses `fieldsV1`.
 *
 * @throws Error when it is not a tree of path elements.
 */
export function readFields(json: Json | undefined): FieldSet {
  if (json === undefined || json === null) return NO_FIELDS;
  if (!isObject(json)) throw new Error('ReadMapCB: expect { or n');
  const known = read.get(json);
  if (known !== undefined) return known;
  const level = readLevel(json);
  read.set(json, level.set);
  if (level.exact) written.set(level.set, json);
  return level.set;
}

interface Level {
  readonly set: FieldSet;
  /** Whether the level contains `.`: its parent path is a member of the set. */
  readonly member: boolean;
  /** Whether encoding the set gives the same JSON. */
  readonly exact: boolean;
}

function readLevel(json: JsonObject): Level {
  const set = new Map<Element, FieldNode>();
  let member = false;
  let exact = true;
  for (const [key, value] of Object.entries(json)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = readElement(key);
    if (element === undefined) {
      exact = false;
      continue;
    }
    if (value !== null && !isObject(value)) throw new Error('ReadMapCB: expect { or n');
    const inner = readLevel(value ?? {});
    exact &&=
      inner.exact && element === key && value !== null && !set.has(element) && !(inner.member && inner.set.size === 0);
    join(set, element, { member: inner.member || inner.set.size === 0, children: inner.set });
  }
  return { set, member, exact };
}

function join(set: Map<Element, FieldNode>, element: Element, node: FieldNode): void {
  const other = set.get(element);
  set.set(
    element,
    other === undefined
      ? node
      : { member: other.member || node.member, children: node.children.size > 0 ? node.children : other.children },
  );
}
