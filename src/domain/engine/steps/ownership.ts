import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, ENGINE_LABEL, PRODUCT } from '../../../api/names.js';
import { ENGINE_GROUP, MultiClusterEngines } from '../../../api/resources.js';
import type { EngineIdentity, DesiredObject } from '../manifest/desired.js';
import { itemsAt, at, textAt, treeAt } from '../manifest/manifest.js';
import { isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  RoleBindings,
  Secrets,
  Services,
} from '../../../runtime/vocabulary/kinds.js';
import { driftedFields } from './drift.js';

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

/**
 * The managedFields of `object` with every field of its spec owned by `manager`: fields that its next apply leaves out are
 * removed. Ownership outside the spec and through subresources does not change. Returns undefined where no other manager
 * owns a field of the spec. See "Field Management" in the documentation of server-side apply.
 */
export function takeOverSpec(object: unknown, manager: string): readonly JsonRecord[] | undefined {
  const entries = itemsAt(object, 'metadata', 'managedFields');
  const ours = entries.find((one) => one['manager'] === manager && one['operation'] === 'Apply' && isMainResource(one));
  const foreign = entries.filter(
    (one) => one !== ours && isMainResource(one) && isRecord(at(one, 'fieldsV1', 'f:spec')),
  );
  if (foreign.length === 0) return undefined;
  const spec = [ours, ...foreign].map((one) => treeAt(one, 'fieldsV1', 'f:spec')).reduce(union);
  const apiVersion = textAt(object, 'apiVersion');
  const { time: _time, ...entry } = ours ?? { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1' };
  const left = entries.filter((one) => one !== ours).map((one) => (foreign.includes(one) ? withoutSpec(one) : one));
  const owning = left.filter((one) => Object.keys(treeAt(one, 'fieldsV1')).length > 0);
  return [...owning, { ...entry, fieldsV1: { ...treeAt(ours, 'fieldsV1'), 'f:spec': spec } }];
}

function isMainResource(entry: JsonRecord): boolean {
  return textAt(entry, 'subresource') === '';
}

function withoutSpec(entry: JsonRecord): JsonRecord {
  const { 'f:spec': _spec, ...rest } = treeAt(entry, 'fieldsV1');
  return { ...entry, fieldsV1: rest };
}

/** The union of two field sets. */
function union(a: JsonRecord, b: JsonRecord): JsonRecord {
  const paths = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(paths.map((path) => [path, union(treeAt(a, path), treeAt(b, path))]));
}
