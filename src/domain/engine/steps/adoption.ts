import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, ENGINE_LABEL, PRODUCT } from '../../../api/names.js';
import { Namespaces, Secrets } from '../../../runtime/vocabulary/kinds.js';
import type { DesiredObject, EngineIdentity } from '../manifest/desired.js';
import { itemsAt, textAt } from '../manifest/manifest.js';

/** The label that says which tool manages an object. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** Labels by which tools know their objects: Argo CD and Helm, Flux, kapp, OLM, ApplySets, Rancher Fleet. */
export const OWNING_LABELS: readonly string[] = [
  'app.kubernetes.io/instance',
  'applyset.kubernetes.io/part-of',
  'argocd.argoproj.io/instance',
  'helm.toolkit.fluxcd.io/name',
  'kapp.k14s.io/app',
  'kustomize.toolkit.fluxcd.io/name',
  'objectset.rio.cattle.io/hash',
  'olm.owner',
];

/** Annotations likewise: Argo CD, Config Sync and the inventories of cli-utils, Helm, Rancher Fleet. */
export const OWNING_ANNOTATIONS: readonly string[] = [
  'argocd.argoproj.io/tracking-id',
  'config.k8s.io/owning-inventory',
  'meta.helm.sh/release-name',
  'objectset.rio.cattle.io/id',
];

/** Managers of server-side apply that own nothing: the operator itself, and a person at a terminal. */
export const NO_OWNERS: readonly string[] = [ENGINE_FIELD_MANAGER, 'kubectl'];

/** Whether an object of this kind may be taken over: a namespace stays as it is, and a Secret is used as it is. */
export function isAdoptable({ type }: DesiredObject): boolean {
  return type !== Namespaces && type !== Secrets;
}

/**
 * Who owns an object, for people: an owner reference, another engine, a tool that has left its mark, or one that keeps it by
 * server-side apply. Undefined where nobody does. The policy `multicluster-engine-adoption` has the same rules. `object`: with its
 * managed fields.
 */
export function ownerOf(object: KubeObject, engine: Pick<EngineIdentity, 'name'>): string | undefined {
  const { ownerReferences = [], labels = {}, annotations = {} } = object.metadata;
  const [reference] = ownerReferences;
  if (reference !== undefined) return `belongs to ${reference.kind} ${reference.name}`;
  const other = labels[ENGINE_LABEL];
  if (other !== undefined && other !== engine.name) return `belongs to MultiClusterEngine ${other}`;
  const manager = labels[MANAGED_BY];
  if (manager !== undefined && manager !== PRODUCT) return `is managed by ${manager} (label ${MANAGED_BY})`;
  const label = OWNING_LABELS.find((key) => labels[key] !== undefined);
  if (label !== undefined) return `is managed by another tool (label ${label}: ${labels[label]})`;
  const annotation = OWNING_ANNOTATIONS.find((key) => annotations[key] !== undefined);
  if (annotation !== undefined)
    return `is managed by another tool (annotation ${annotation}: ${annotations[annotation]})`;
  const applied = itemsAt(object, 'metadata', 'managedFields')
    .filter((one) => one['operation'] === 'Apply')
    .map((one) => textAt(one, 'manager'))
    .find((one) => !NO_OWNERS.includes(one));
  return applied === undefined ? undefined : `is applied by ${applied}`;
}
