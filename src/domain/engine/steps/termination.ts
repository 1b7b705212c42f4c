import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { enumerate, itemsAt, textAt } from '../manifest/manifest.js';

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
