import type { KubeObject } from '../../../api/meta.js';
import { ENGINE_FIELD_MANAGER, ENGINE_LABEL } from '../../../api/names.js';
import { ENGINE_GROUP, MultiClusterEngines } from '../../../api/resources.js';
import type { EngineIdentity } from '../manifest/desired.js';
import { at, itemsAt } from '../manifest/manifest.js';

/**
 * - ours: its controller is this very engine.
 * - leftover: its controller is an engine of the same name that is gone; garbage collection takes it away.
 * - unowned: no controller at all; somebody may have taken ours off, which only its managed fields tell.
 * - foreign: anything else.
 */
export type Ownership = 'ours' | 'leftover' | 'unowned' | 'foreign';

/** Whose an object is, by its controller reference; for everything but namespaces. */
export function ownershipOf(object: KubeObject, engine: EngineIdentity): Ownership {
  const controller = (object.metadata.ownerReferences ?? []).find((one) => one.controller === true);
  if (controller === undefined) return 'unowned';
  if (controller.kind !== MultiClusterEngines.kind || !controller.apiVersion.startsWith(`${ENGINE_GROUP}/`))
    return 'foreign';
  if (controller.uid === engine.uid) return 'ours';
  return controller.name === engine.name ? 'leftover' : 'foreign';
}

/**
 * Whether an object that has lost its controller reference was applied by us for this engine: it still carries our
 * label, and the server still books fields of it under our name. `object` as read from the server, managed fields and all.
 */
export function wasAppliedByUs(object: KubeObject, engine: EngineIdentity): boolean {
  if (ownershipOf(object, engine) !== 'unowned') return false;
  const booked = itemsAt(at(object, 'metadata'), 'managedFields').some(
    (one) => one['manager'] === ENGINE_FIELD_MANAGER && one['operation'] === 'Apply',
  );
  return booked && object.metadata.labels?.[ENGINE_LABEL] === engine.name;
}

/** Whether a namespace was made for this engine: it carries the label, and never an owner. */
export function isOurNamespace(namespace: KubeObject, engine: Pick<EngineIdentity, 'name'>): boolean {
  return namespace.metadata.labels?.[ENGINE_LABEL] === engine.name;
}
