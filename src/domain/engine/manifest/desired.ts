import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '../../../api/meta.js';
import {
  ENGINE_LABEL,
  INSTALLER_ROLE,
  OPERATOR_SERVICE_ACCOUNT,
  PRODUCT,
  REVISION_ANNOTATION,
  VERSION_ANNOTATION,
} from '../../../api/names.js';
import { apiVersionOf, MultiClusterEngines, Namespaces, RoleBindings, Secrets } from '../../../api/resources.js';
import { hash64, hex64 } from '../../hash.js';
import { APPLY_ORDER, BINDINGS, CATALOGUE, type ComponentRow } from '../catalogue.js';
import { byText, idOf, isTree, type Manifest } from './manifest.js';
import { renderPods, renderSubjects } from './render.js';
import type { EffectiveSpec } from '../spec.js';

/** The operator's configuration. */
export interface EngineSettings {
  /** The running operator's version. */
  readonly version: string;
  /** The image of every component. */
  readonly image: string;
  /** Replicas of every component's Deployment. */
  readonly replicas: number;
  /** Where the operator's ServiceAccount and the Leases live. */
  readonly operatorNamespace: string;
  /** Set with `--namespace`: the only namespace that is served; the namespace and all bindings exist already. */
  readonly onlyNamespace?: string;
}

/** The YAML of each component, by folder name. */
export type Templates = Readonly<Record<string, readonly KubeObject[]>>;

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

/** All objects of an engine in the order of applying. `templates`: checked by {@link templateErrors}. */
export function desiredObjects(
  engine: EngineIdentity,
  spec: EffectiveSpec,
  templates: Templates,
  settings: EngineSettings,
): readonly DesiredObject[] {
  const drafts = settings.onlyNamespace === undefined ? namespaceAndInstaller(spec, settings) : [];
  const rows = [...CATALOGUE].sort((a, b) => a.order - b.order || byText(a.name, b.name));
  for (const row of rows) {
    for (const template of templates[row.folder] ?? []) {
      const type = typeOf(template);
      if (type === undefined || (settings.onlyNamespace !== undefined && isBinding(type))) continue;
      const object = renderComponent(template, type, { engine, row, spec, settings });
      drafts.push({ type, component: row.name, object });
    }
  }
  const position = (one: ObjectDraft): number => APPLY_ORDER.indexOf(one.type);
  return drafts.sort((a, b) => position(a) - position(b)).map((one) => withCommonMetadata(one, engine, settings));
}

/**
 * The kinds of the components' objects in the target namespace, in the order of applying. Objects of these kinds are
 * found by label: watched, pruned, and removed with the engine.
 */
export function targetTypes(templates: Templates): readonly ResourceType[] {
  const used = new Set(CATALOGUE.flatMap((row) => (templates[row.folder] ?? []).map(typeOf)));
  return APPLY_ORDER.filter((type) => used.has(type) && type.namespaced && !isBinding(type));
}

/** The errors in the components' folders: a component without objects, or an object that no engine may consist of. */
export function templateErrors(templates: Templates): readonly string[] {
  const kinds = APPLY_ORDER.map((type) => type.kind).join(', ');
  const errors: string[] = [];
  for (const row of CATALOGUE) {
    const found = templates[row.folder] ?? [];
    if (found.length === 0) errors.push(`deploy/components/${row.folder}: holds no object of component ${row.name}`);
    for (const one of found) {
      const what = `deploy/components/${row.folder}: ${String(one.kind)} ${one.metadata.name}`;
      const type = typeOf(one);
      if (type === undefined || type === Namespaces || type === Secrets)
        errors.push(`${what}: kind must be one of ${kinds}, and neither Namespace nor Secret`);
      else if (isBinding(type) && !BINDINGS.some((each) => each.type === type && each.name === one.metadata.name))
        errors.push(`${what}: a binding must have a row in the table of bindings`);
    }
  }
  return errors;
}

/** The type of a manifest by its apiVersion and kind; undefined for kinds that no engine consists of. */
function typeOf(manifest: KubeObject): ResourceType | undefined {
  return APPLY_ORDER.find((type) => type.kind === manifest.kind && apiVersionOf(type) === manifest.apiVersion);
}

/** An object without the metadata that every object has. */
export interface ObjectDraft {
  readonly type: ResourceType;
  readonly component: string;
  readonly object: Manifest;
}

/** The components' namespace, and the binding that gives the operator its rights there. */
function namespaceAndInstaller(spec: EffectiveSpec, settings: EngineSettings): ObjectDraft[] {
  const namespace = spec.targetNamespace;
  const subject = { kind: 'ServiceAccount', name: OPERATOR_SERVICE_ACCOUNT, namespace: settings.operatorNamespace };
  return [
    {
      type: Namespaces,
      component: PRODUCT,
      object: { metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    },
    {
      type: RoleBindings,
      component: PRODUCT,
      object: {
        metadata: { name: INSTALLER_ROLE, namespace },
        roleRef: { apiGroup: RoleBindings.group, kind: 'ClusterRole', name: INSTALLER_ROLE },
        subjects: [subject],
      },
    },
  ];
}

interface Rendering {
  readonly engine: EngineIdentity;
  readonly row: ComponentRow;
  readonly spec: EffectiveSpec;
  readonly settings: EngineSettings;
}

function renderComponent(template: KubeObject, type: ResourceType, rendering: Rendering): Manifest {
  const { engine, row, spec, settings } = rendering;
  const { namespace: _given, ...metadata } = template.metadata;
  const placed = type.namespaced ? { ...metadata, namespace: spec.targetNamespace } : metadata;
  const object = { ...template, metadata: placed };
  if (isBinding(type)) return renderSubjects(object, spec.targetNamespace);
  if (type.kind !== 'Deployment') return object;
  const labels = { ...productLabels(row.name, settings.version), [ENGINE_LABEL]: engine.name };
  const leaseNamespace = row.leaderElection === undefined ? undefined : settings.operatorNamespace;
  return renderPods(object, { spec, labels, image: settings.image, replicas: settings.replicas, leaseNamespace });
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
    'app.kubernetes.io/part-of': PRODUCT,
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

function isBinding(type: ResourceType): boolean {
  return type.kind === 'RoleBinding' || type.kind === 'ClusterRoleBinding';
}

/** JSON with sorted keys, so that equal objects have equal hashes. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isTree(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byText(a, b))) : inner,
  );
}

/** The id of a desired object: see {@link idOf}. */
export function desiredId(desired: DesiredObject): string {
  return idOf(desired.type, desired.object.metadata);
}
