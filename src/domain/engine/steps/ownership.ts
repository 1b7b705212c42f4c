import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, ENGINE_LABEL } from '../../../api/names.js';
import { ENGINE_GROUP, MultiClusterEngines } from '../../../api/resources.js';
import type { EngineIdentity } from '../manifest/desired.js';
import { itemsAt } from '../manifest/manifest.js';

/**
 * - ours: its controller is this engine.
 * - leftover: its controller is a deleted engine of the same name; garbage collection removes it.
 * - unowned: it has no controller; the managed fields show whether ours was removed.
 * - foreign: any other controller.
 */
export type Ownership = 'ours' | 'leftover' | 'unowned' | 'foreign';

/** By the controller reference; for every kind except Namespace. */
export function ownershipOf(object: KubeObject, engine: EngineIdentity): Ownership {
  const controller = (object.metadata.ownerReferences ?? []).find((one) => one.controller === true);
  if (controller === undefined) return 'unowned';
  if (controller.kind !== MultiClusterEngines.kind || !controller.apiVersion.startsWith(`${ENGINE_GROUP}/`))
    return 'foreign';
  if (controller.uid === engine.uid) return 'ours';
  return controller.name === engine.name ? 'leftover' : 'foreign';
}

/**
 * Whether an object without a controller was applied by the operator for this engine: it has the engine's label, and its
 * managed fields name the operator. `object`: with its managed fields.
 */
export function wasAppliedByUs(object: KubeObject, engine: EngineIdentity): boolean {
  if (ownershipOf(object, engine) !== 'unowned') return false;
  return appliedFields(object).length > 0 && object.metadata.labels?.[ENGINE_LABEL] === engine.name;
}

/** The field sets (`fieldsV1`) that the operator has applied, from the managed fields. */
export function appliedFields(object: KubeObject): readonly unknown[] {
  return itemsAt(object, 'metadata', 'managedFields')
    .filter((one) => one['manager'] === ENGINE_FIELD_MANAGER && one['operation'] === 'Apply')
    .map((one) => one['fieldsV1']);
}

/** Whether the operator made a namespace for this engine: by the label, since a namespace has no owner. */
export function isOurNamespace(namespace: KubeObject, engine: Pick<EngineIdentity, 'name'>): boolean {
  return namespace.metadata.labels?.[ENGINE_LABEL] === engine.name;
}
