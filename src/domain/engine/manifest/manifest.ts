import type { KubeObject, ObjectName, ResourceType } from '../../../runtime/vocabulary/meta.js';
import { asRecord, isRecord, recordsIn, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';

/** Any Kubernetes object, with its fields beside the metadata untyped. */
export interface Manifest extends KubeObject {
  [field: string]: unknown;
}

/** The value at `path`; undefined where a field of the path does not exist. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const step of path) here = isRecord(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  return here;
}

/** The map at `path`; empty where there is none. */
export function treeAt(value: unknown, ...path: readonly string[]): JsonRecord {
  return asRecord(at(value, ...path));
}

/** The items at `path` that are objects; empty where there is no list. */
export function itemsAt(value: unknown, ...path: readonly string[]): readonly JsonRecord[] {
  return recordsIn(at(value, ...path));
}

/** The integer at `path`; `otherwise` where there is none. */
export function integerAt(value: unknown, otherwise: number, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isInteger(found) ? found : otherwise;
}

/** The text at `path`; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The key of an object among objects of all kinds: `plural.group/namespace/name`. */
export function idOf(type: ResourceType, name: ObjectName): string {
  return `${type.plural}.${type.group}/${keyOf(name)}`;
}

/** An object for people: `Deployment multicluster-engine/placement-controller`. */
export function titleOf(type: ResourceType, name: ObjectName): string {
  return `${type.kind} ${keyOf(name)}`;
}

const SHOWN = 3;

/** The first few, and how many more there are. */
export function enumerate(texts: readonly string[]): string {
  const rest = texts.length - SHOWN;
  return texts.slice(0, SHOWN).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

/** A kind as in RBAC: `deployments.apps`. */
export function resourceText(type: ResourceType): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** ` (finalizers: …)`, which delay a deletion; empty where there are none. */
export function finalizersOf(object: KubeObject): string {
  const finalizers = object.metadata.finalizers ?? [];
  return finalizers.length === 0 ? '' : ` (finalizers: ${finalizers.join(', ')})`;
}

/** What delays the deletion of a namespace by its own conditions, else its finalizers; empty where there is neither. */
export function namespaceBlockers(namespace: KubeObject): string {
  const reported = itemsAt(namespace, 'status', 'conditions').filter((one) => one['status'] === 'True');
  const texts = reported.map((one) => textAt(one, 'message'));
  const messages = texts.filter((text) => text !== '').sort();
  return messages.length === 0 ? finalizersOf(namespace) : ` (${enumerate(messages)})`;
}
