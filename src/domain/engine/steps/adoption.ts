import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, ENGINE_LABEL, PRODUCT } from '../../../api/names.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  RoleBindings,
  Secrets,
  Services,
} from '../../../runtime/vocabulary/kinds.js';
import type { DesiredObject, EngineIdentity } from '../manifest/desired.js';
import { at, itemsAt, textAt } from '../manifest/manifest.js';
import { driftedFields } from './drift.js';

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

/**
 * The field that keeps an object from becoming the desired one, for people: the API server changes it of no object. Undefined
 * for none. Without this question a Deployment of other pods is refused by whatever admission finds first, and a headless
 * Service is taken over, at whose port nobody answers.
 */
export function fixedField({ type, object: wanted }: DesiredObject, stored: KubeObject): string | undefined {
  switch (type) {
    case Deployments:
      return differsAt('spec.selector', wanted, stored);
    case RoleBindings:
    case ClusterRoleBindings:
      return differsAt('roleRef', wanted, stored);
    case Services:
      return textAt(stored, 'spec', 'clusterIP') === 'None' ? 'spec.clusterIP (None)' : undefined;
    case ConfigMaps:
      return at(stored, 'immutable') === true ? 'data (immutable)' : undefined;
    default:
      return undefined;
  }
}

function differsAt(field: string, wanted: DesiredObject['object'], stored: KubeObject): string | undefined {
  return driftedFields(wanted, stored).includes(field) ? field : undefined;
}
