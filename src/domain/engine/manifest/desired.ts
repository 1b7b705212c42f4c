import { byText } from '../../../runtime/vocabulary/names.js';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '../../../runtime/vocabulary/meta.js';
import {
  ENGINE_LABEL,
  INSTALLER_ROLE,
  LOCAL_CLUSTER_ROLE,
  OPERATOR_SERVICE_ACCOUNT,
  PART_OF_LABEL,
  PRODUCT,
  REVISION_ANNOTATION,
  VERSION_ANNOTATION,
} from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import {
  apiVersionOf,
  ClusterRoleBindings,
  Namespaces,
  NetworkPolicies,
  RoleBindings,
} from '../../../runtime/vocabulary/kinds.js';
import { hash64, hex64 } from '../../hash.js';
import { APPLY_ORDER, fixedNamespaceOf, type ComponentRow, isBinding, typeOf, type Templates } from '../catalogue.js';
import { componentsOn, type EffectiveSpec } from '../spec.js';
import { idOf, itemsAt, treeAt, type Manifest } from './manifest.js';
import { isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { withApiServerPorts } from './networkpolicies.js';
import { renderResources } from './resources.js';

/** The operator's configuration. */
export interface EngineSettings {
  /** The running operator's version. */
  readonly version: string;
  /** The image of every component. */
  readonly image: string;
  /** Replicas of every component's Deployment where the engine's spec says nothing else. */
  readonly replicas: number;
  /** Name no user and no group in the pods: the platform assigns them. */
  readonly omitUserIds: boolean;
  /** Where the operator's ServiceAccount and the Leases live. */
  readonly operatorNamespace: string;
  /** Optional components that no engine may turn on. */
  readonly without: readonly string[];
  /** Settings of the operator that the components have too: variables of their containers' environment. */
  readonly componentEnvironment: Readonly<Record<string, string>>;
  /** Set with `--namespace`: the only namespace that is served; the namespace and all bindings exist already. */
  readonly onlyNamespace?: string;
}

export interface DesiredObject {
  readonly type: ResourceType;
  /** The object's component; the product's name for the namespace and the installer binding. */
  readonly component: string;
  /** The whole object to apply, with {@link REVISION_ANNOTATION}. */
  readonly object: Manifest;
  /** Hash of the object without that annotation. */
  readonly revision: string;
  /** The object that has to exist before this one can be applied, for people. */
  readonly waitsFor?: string;
}

export interface EngineIdentity {
  readonly name: string;
  readonly uid: string;
}

/** All objects of an engine in the order of applying. `templates`: without `templateErrors`. */
export function desiredObjects(
  engine: EngineIdentity,
  spec: EffectiveSpec,
  templates: Templates,
  settings: EngineSettings,
): readonly DesiredObject[] {
  const drafts = settings.onlyNamespace === undefined ? namespaceAndInstaller(spec, settings) : [];
  const rows = [...componentsOn(spec.components)].sort((a, b) => a.order - b.order || byText(a.name, b.name));
  for (const row of rows) {
    for (const template of templates[row.folder] ?? []) {
      const type = typeOf(template);
      if (type === NetworkPolicies && !spec.networkPolicies.enabled) continue;
      if (type === undefined || (settings.onlyNamespace !== undefined && isBinding(type))) continue;
      const object = renderComponent(template, type, { engine, row, spec, settings });
      drafts.push({ type, component: row.name, object });
    }
  }
  const position = (one: ObjectDraft): number => APPLY_ORDER.indexOf(one.type);
  return drafts.sort((a, b) => position(a) - position(b)).map((one) => withCommonMetadata(one, engine, settings));
}

/** An object without the metadata that every object has. */
export interface ObjectDraft {
  readonly type: ResourceType;
  readonly component: string;
  readonly object: Manifest;
}

/** The components' namespace, and the bindings that give the operator its rights there and on the cluster that stands for the hub. */
function namespaceAndInstaller(spec: EffectiveSpec, settings: EngineSettings): ObjectDraft[] {
  const namespace = spec.targetNamespace;
  const subject = { kind: 'ServiceAccount', name: OPERATOR_SERVICE_ACCOUNT, namespace: settings.operatorNamespace };
  return [
    {
      type: Namespaces,
      component: PRODUCT,
      object: { metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    },
    bindingTo(subject, RoleBindings, { name: INSTALLER_ROLE, namespace }),
    ...(spec.localCluster === undefined ? [] : [bindingTo(subject, ClusterRoleBindings, { name: LOCAL_CLUSTER_ROLE })]),
  ];
}

/** A binding has the name of its role. */
function bindingTo(subject: object, type: ResourceType, metadata: ObjectMeta): ObjectDraft {
  const roleRef = { apiGroup: type.group, kind: 'ClusterRole', name: metadata.name };
  return { type, component: PRODUCT, object: { metadata, roleRef, subjects: [subject] } };
}

interface Rendering {
  readonly engine: EngineIdentity;
  readonly row: ComponentRow;
  readonly spec: EffectiveSpec;
  readonly settings: EngineSettings;
}

function renderComponent(template: KubeObject, type: ResourceType, rendering: Rendering): Manifest {
  const { spec } = rendering;
  const { namespace: _given, ...metadata } = template.metadata;
  const namespace = fixedNamespaceOf({ type, name: metadata.name }) ?? spec.targetNamespace;
  const placed = type.namespaced ? { ...metadata, namespace } : metadata;
  const object = { ...template, metadata: placed };
  if (isBinding(type)) return renderSubjects(object, spec.targetNamespace);
  const { apiServerPorts } = spec.networkPolicies;
  if (type === NetworkPolicies && apiServerPorts !== undefined) return withApiServerPorts(object, apiServerPorts);
  return type.kind === 'Deployment' ? renderDeployment(object, rendering) : object;
}

/** What the component's item says, else the engine's availability, else the operator's flag. */
function replicasOf(
  row: ComponentRow,
  { availability, components }: EffectiveSpec,
  { replicas }: EngineSettings,
): number {
  const byAvailability = { High: Math.max(2, replicas), Basic: 1 };
  return components[row.name]?.replicas ?? (availability === undefined ? replicas : byAvailability[availability]);
}

/** A Deployment with the pod settings of the engine's spec and the operator's flags. */
function renderDeployment(deployment: Manifest, rendering: Rendering): Manifest {
  const { engine, row, spec, settings } = rendering;
  const { imagePullSecret, nodeSelector, tolerations } = spec;
  const rendered = withPods(deployment, {
    labels: { ...productLabels(row.name, settings.version), [ENGINE_LABEL]: engine.name },
    pod: (pod) => {
      const allTolerations = [...itemsAt(pod, 'tolerations'), ...tolerations];
      const allSelectors = { ...treeAt(pod, 'nodeSelector'), ...nodeSelector };
      return {
        ...(settings.omitUserIds ? withoutUserIds(pod) : pod),
        // The API server drops empty ones, which would then count as drift.
        ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
        ...(Object.keys(allSelectors).length === 0 ? {} : { nodeSelector: allSelectors }),
        ...(allTolerations.length === 0 ? {} : { tolerations: allTolerations }),
      };
    },
    container: (one) => renderContainer(one, rendering),
  });
  return { ...rendered, spec: { ...treeAt(rendered, 'spec'), replicas: replicasOf(row, spec, settings) } };
}

/** What changes in a pod template. `container`: of each container, those that run first included. */
interface PodChange {
  readonly labels?: JsonRecord;
  readonly annotations?: JsonRecord;
  readonly pod?: (pod: JsonRecord) => JsonRecord;
  readonly container?: (container: JsonRecord) => JsonRecord;
}

/** A Deployment with another pod template; labels and annotations are added. */
export function withPods(deployment: Manifest, { labels, annotations, pod: change, container }: PodChange): Manifest {
  const spec = treeAt(deployment, 'spec');
  const template = treeAt(spec, 'template');
  const metadata = { ...treeAt(template, 'metadata') };
  for (const [name, added] of Object.entries({ labels, annotations }))
    if (added !== undefined) metadata[name] = { ...treeAt(metadata, name), ...added };
  const given = treeAt(template, 'spec');
  const pod = { ...(change?.(given) ?? given) };
  for (const name of ['initContainers', 'containers'])
    if (container !== undefined && pod[name] !== undefined) pod[name] = itemsAt(pod, name).map(container);
  return { ...deployment, spec: { ...spec, template: { ...template, metadata, spec: pod } } };
}

/** The platform assigns the group of volumes together with the user. */
function withoutUserIds(pod: JsonRecord): JsonRecord {
  const {
    runAsUser: _user,
    runAsGroup: _group,
    fsGroup: _volumes,
    ...securityContext
  } = treeAt(pod, 'securityContext');
  return { ...pod, securityContext };
}

/** The environment variable of a component's containers whose value is the namespace of the replicas' Lease. */
const LEASE_NAMESPACE_VARIABLE = 'MULTICLUSTER_ENGINE_LEADER_ELECTION_NAMESPACE';

function renderContainer(container: JsonRecord, { row, spec, settings }: Rendering): JsonRecord {
  const { imageRegistry, imagePullPolicy } = spec;
  const { resources } = spec.components[row.name] ?? {};
  const image = imageRegistry === undefined ? settings.image : imageFrom(imageRegistry, settings.image);
  const isLease = ({ name }: JsonRecord): boolean =>
    name === LEASE_NAMESPACE_VARIABLE && row.leaderElection !== undefined;
  const given = itemsAt(container, 'env').map((one) =>
    isLease(one) ? { ...one, value: settings.operatorNamespace } : one,
  );
  const env = [...given, ...Object.entries(settings.componentEnvironment).map(([name, value]) => ({ name, value }))];
  return {
    ...container,
    image,
    ...(imagePullPolicy && { imagePullPolicy }),
    ...(env.length === 0 ? {} : { env }),
    ...(resources && { resources: renderResources(container, resources) }),
  };
}

/**
 * The image of another registry, with its name, tag and digest. What stands before the first slash is a registry when it has a
 * dot or a colon, or is `localhost`, as in the reference grammar of Docker.
 */
function imageFrom(registry: string, image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  return `${registry}/${hasRegistry ? image.slice(slash + 1) : image}`;
}

function renderSubjects(binding: Manifest, namespace: string): Manifest {
  const subjects: readonly unknown[] = Array.isArray(binding['subjects']) ? binding['subjects'] : [];
  return { ...binding, subjects: subjects.map((one) => (isRecord(one) ? { ...one, namespace } : one)) };
}

/** Adds the metadata that every object has: type, labels, owner, version and revision. */
export function withCommonMetadata(
  { type, component, object }: ObjectDraft,
  engine: EngineIdentity,
  { version }: EngineSettings,
): DesiredObject {
  const { name, namespace, labels, annotations } = object.metadata;
  const metadata: ObjectMeta = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels, ...productLabels(component, version), [ENGINE_LABEL]: engine.name },
    annotations: { ...annotations, [VERSION_ANNOTATION]: version },
    // A namespace has no owner: garbage collection would delete the objects of others with it.
    ...(type === Namespaces ? {} : { ownerReferences: [ownerOf(engine)] }),
  };
  return withRevision(type, component, { ...object, apiVersion: apiVersionOf(type), kind: type.kind, metadata });
}

/** `object` with its hash, which replaces an earlier one. */
export function withRevision(type: ResourceType, component: string, object: Manifest): DesiredObject {
  const { [REVISION_ANNOTATION]: _before, ...annotations } = object.metadata.annotations ?? {};
  const metadata = { ...object.metadata, annotations };
  const revision = hex64(hash64(canonical({ ...object, metadata })));
  const annotated = { ...metadata, annotations: { ...annotations, [REVISION_ANNOTATION]: revision } };
  return { type, component, object: { ...object, metadata: annotated }, revision };
}

function ownerOf({ name, uid }: EngineIdentity): OwnerReference {
  const { kind } = MultiClusterEngines;
  return { apiVersion: apiVersionOf(MultiClusterEngines), kind, name, uid, controller: true };
}

function productLabels(component: string, version: string): Record<string, string> {
  return {
    'app.kubernetes.io/name': component,
    'app.kubernetes.io/component': component,
    [PART_OF_LABEL]: PRODUCT,
    'app.kubernetes.io/managed-by': PRODUCT,
    'app.kubernetes.io/version': labelValue(version),
  };
}

/** `version` as a label value, which may not contain a build suffix (`+…`). */
function labelValue(version: string): string {
  return version
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 63)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

/** JSON with sorted keys, so that equal objects have equal hashes. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byText(a, b))) : inner,
  );
}

/** The id of a desired object: see {@link idOf}. */
export function desiredId(desired: DesiredObject): string {
  return idOf(desired.type, desired.object.metadata);
}
