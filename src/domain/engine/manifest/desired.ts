import type { KubeObject, ObjectMeta, ResourceType } from '../../../api/meta.js';
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
import { byText, idOf, isTree, type Manifest, type Tree } from './manifest.js';
import { renderPods, renderSubjects } from './render.js';
import type { EffectiveSpec } from '../spec.js';

/** What the operator was started with. */
export interface EngineSettings {
  /** The running operator's version. */
  readonly version: string;
  /** The image of every component. */
  readonly image: string;
  /** Replicas of every component's Deployment. */
  readonly replicas: number;
  /** Where the operator's ServiceAccount and the Leases live. */
  readonly operatorNamespace: string;
  /** Set with `--namespace`: the only namespace that may be served, with every binding given and none made. */
  readonly onlyNamespace?: string;
}

/** The YAML of each component, by folder name. */
export type Templates = Readonly<Record<string, readonly KubeObject[]>>;

export interface DesiredObject {
  readonly type: ResourceType;
  /** The component it belongs to; the product's name for what belongs to all. */
  readonly component: string;
  /** The whole of what is applied, {@link REVISION_ANNOTATION} included. */
  readonly object: Manifest;
  /** Hash of everything else in it. */
  readonly revision: string;
  /** It is not whole yet: what has to be there before it can be applied, for people. */
  readonly waitsFor?: string;
}

/** Whose objects: name and uid of an engine. */
export interface EngineIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Everything that an engine consists of, in the order in which it is applied. Templates are checked by {@link templateErrors}. */
export function desiredObjects(
  engine: EngineIdentity,
  spec: EffectiveSpec,
  templates: Templates,
  settings: EngineSettings,
): readonly DesiredObject[] {
  const bare = settings.onlyNamespace === undefined ? namespaceAndInstaller(spec, settings) : [];
  const rows = [...CATALOGUE].sort((a, b) => a.order - b.order || byText(a.name, b.name));
  for (const row of rows) {
    for (const template of templates[row.folder] ?? []) {
      const type = typeOf(template);
      if (type === undefined || (settings.onlyNamespace !== undefined && isBinding(type))) continue;
      bare.push({
        type,
        component: row.name,
        object: renderComponent(template, type, { engine, row, spec, settings }),
      });
    }
  }
  const place = (one: ObjectDraft): number => APPLY_ORDER.indexOf(one.type);
  return bare
    .map((one, index) => ({ one, index }))
    .sort((a, b) => place(a.one) - place(b.one) || a.index - b.index)
    .map(({ one }) => withCommonMetadata(one, engine, settings));
}

/**
 * The kinds of the components' objects that live in the target namespace, in the order of applying. Their objects are
 * found there by label: watched, pruned, and removed with the engine.
 */
export function targetTypes(templates: Templates): readonly ResourceType[] {
  const used = new Set(CATALOGUE.flatMap((row) => (templates[row.folder] ?? []).map(typeOf)));
  return APPLY_ORDER.filter((type) => used.has(type) && type.namespaced && !isBinding(type));
}

/** What is wrong with the components' folders: a row without a folder, or an object that no engine may consist of. */
export function templateErrors(templates: Templates): readonly string[] {
  const faults: string[] = [];
  for (const row of CATALOGUE) {
    const found = templates[row.folder] ?? [];
    if (found.length === 0) faults.push(`deploy/components/${row.folder}: holds no object of component ${row.name}`);
    for (const one of found) {
      const what = `deploy/components/${row.folder}: ${String(one.kind)} ${one.metadata.name}`;
      const type = typeOf(one);
      if (type === undefined || type === Namespaces || type === Secrets)
        faults.push(
          `${what}: kind must be one of ${APPLY_ORDER.map((each) => each.kind).join(', ')}, and neither Namespace nor Secret`,
        );
      else if (isBinding(type) && !BINDINGS.some((each) => each.type === type && each.name === one.metadata.name)) {
        faults.push(`${what}: a binding must have a row in the table of bindings`);
      }
    }
  }
  return faults;
}

/** The type of a manifest by its apiVersion and kind; undefined for one that no engine consists of. */
function typeOf(manifest: KubeObject): ResourceType | undefined {
  return APPLY_ORDER.find((type) => type.kind === manifest.kind && apiVersionOf(type) === manifest.apiVersion);
}

/** An object without what every object carries. */
export interface ObjectDraft {
  readonly type: ResourceType;
  readonly component: string;
  readonly object: Manifest;
}

/** What stands around the components: their namespace, and the operator's right to install there. */
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

/** Adds what every object carries: type, labels, owner, version and revision. */
export function withCommonMetadata(bare: ObjectDraft, engine: EngineIdentity, settings: EngineSettings): DesiredObject {
  const { type, component } = bare;
  const { name, namespace, labels, annotations } = bare.object.metadata;
  const metadata: ObjectMeta = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels, ...productLabels(component, settings.version), [ENGINE_LABEL]: engine.name },
    annotations: { ...annotations, [VERSION_ANNOTATION]: settings.version },
    // A namespace has no owner: garbage collection would take strangers' objects with it.
    ...(type === Namespaces ? {} : { ownerReferences: [ownerOf(engine)] }),
  };
  return withRevision(type, component, { ...bare.object, apiVersion: apiVersionOf(type), kind: type.kind, metadata });
}

/** `object` with the hash of what it holds, in the place of one that it may carry from before. */
export function withRevision(type: ResourceType, component: string, object: Manifest): DesiredObject {
  const { [REVISION_ANNOTATION]: _before, ...annotations } = object.metadata.annotations ?? {};
  const metadata = { ...object.metadata, annotations };
  const revision = hex64(hash64(canonical({ ...object, metadata })));
  const annotated = { ...metadata, annotations: { ...annotations, [REVISION_ANNOTATION]: revision } };
  return { type, component, object: { ...object, metadata: annotated }, revision };
}

function ownerOf(engine: EngineIdentity): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: true;
} {
  const { kind } = MultiClusterEngines;
  return { apiVersion: apiVersionOf(MultiClusterEngines), kind, name: engine.name, uid: engine.uid, controller: true };
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

/** `version` as a label may hold it: a build suffix (`+…`) is not allowed there. */
function labelValue(version: string): string {
  return version
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 63)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

function isBinding(type: ResourceType): boolean {
  return type.kind === 'RoleBinding' || type.kind === 'ClusterRoleBinding';
}

/** JSON with sorted keys, so that equal objects hash alike; times never stand in it. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isTree(inner) ? sorted(inner) : inner));
}

function sorted(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => byText(a, b)));
}

/** The id of a wanted object: see {@link idOf}. */
export function desiredId(desired: DesiredObject): string {
  return idOf(desired.type, desired.object.metadata);
}
