import type { ResourceType } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_LABEL, INSTALLER_ROLE, LOCAL_CLUSTER_ANNOTATION } from '../../../api/names.js';
import { ENGINE_GROUP, ManagedClusters, MultiClusterEngines } from '../../../api/resources.js';
import { ClusterRoleBindings, Namespaces, RoleBindings, Secrets } from '../../../runtime/vocabulary/kinds.js';
import { BINDINGS, CERTIFICATE_OBJECTS } from '../../../domain/engine/catalogue.js';
import { at } from '../../../domain/engine/manifest/manifest.js';
import type { GuardedWrite, GuardRow } from '../../../runtime/client/guard.js';

const ENGINE_OWNER = Object.freeze({ group: ENGINE_GROUP, kind: MultiClusterEngines.kind });
/** For rows of an apply: the object has the engine as its controller, and the engine's label. */
const OWNED_BY_ENGINE = Object.freeze({ owner: ENGINE_OWNER, check: engineLabelProblem });
const clusterWide = (namespace: string): boolean => namespace === '';

/**
 * Every write that this controller may make. `types`: the kinds of the components' objects in the target namespace.
 * `onlyNamespace`: set with `--namespace`; then bindings and everything outside it may not be written.
 */
export function engineRights(types: readonly ResourceType[], onlyNamespace: string | undefined): readonly GuardRow[] {
  const within = (namespace: string): boolean =>
    onlyNamespace === undefined ? isInstallable(namespace) : namespace === onlyNamespace;
  const rows: GuardRow[] = [
    { verbs: ['updateStatus', 'patchMetadata'], type: MultiClusterEngines, namespace: clusterWide },
    // A ManagedCluster that stands for the hub is made once; its labels, taints and set are for people.
    { verbs: ['create'], type: ManagedClusters, namespace: clusterWide, check: localClusterProblem },
    { verbs: ['applyStatus'], type: ManagedClusters, namespace: clusterWide },
    ...types.flatMap((type): GuardRow[] => [
      { verbs: ['apply'], type, namespace: within, ...OWNED_BY_ENGINE },
      { verbs: ['delete', 'patchMetadata'], type, namespace: within },
    ]),
    ...CERTIFICATE_OBJECTS.flatMap((object): GuardRow[] => {
      const row = { type: object.type, namespace: within, name: (name: string) => name === object.name };
      const check = object.type === Secrets ? keyPairProblem : engineLabelProblem;
      return [
        { ...row, verbs: ['apply'], owner: ENGINE_OWNER, check },
        { ...row, verbs: ['delete'] },
      ];
    }),
  ];
  return onlyNamespace === undefined ? [...rows, ...namespaceAndBindingRights()] : rows;
}

/** The namespace and the bindings, each binding by its fixed name. */
function namespaceAndBindingRights(): readonly GuardRow[] {
  const isInstallerBinding = (name: string): boolean => name === INSTALLER_ROLE;
  const isComponentBinding = (name: string): boolean =>
    BINDINGS.some((row) => row.type === ClusterRoleBindings && row.name === name);
  return [
    { verbs: ['apply'], type: Namespaces, namespace: clusterWide, name: isInstallable, check: namespaceProblem },
    { verbs: ['delete'], type: Namespaces, namespace: clusterWide, name: isInstallable },
    { verbs: ['apply'], type: RoleBindings, namespace: isInstallable, name: isInstallerBinding, ...OWNED_BY_ENGINE },
    { verbs: ['delete'], type: RoleBindings, namespace: isInstallable, name: isInstallerBinding },
    {
      verbs: ['apply'],
      type: ClusterRoleBindings,
      namespace: clusterWide,
      name: isComponentBinding,
      ...OWNED_BY_ENGINE,
    },
    { verbs: ['delete'], type: ClusterRoleBindings, namespace: clusterWide, name: isComponentBinding },
    ...BINDINGS.flatMap(({ type, name: wanted, namespace: fixed }): GuardRow[] => {
      if (fixed === undefined) return [];
      const row = { type, namespace: (one: string) => one === fixed, name: (one: string) => one === wanted };
      return [
        { ...row, verbs: ['apply'], ...OWNED_BY_ENGINE },
        { ...row, verbs: ['delete'] },
      ];
    }),
  ];
}

/** A namespace in which an engine may be installed. */
function isInstallable(namespace: string): boolean {
  return namespace !== '' && namespace !== 'default' && !namespace.startsWith('kube-');
}

// The checks of the rows: each returns what is wrong with a write, or undefined.

/** Every object has the engine's label. A forced apply is for an object that was read as the engine's: it has the uid of that one. */
function engineLabelProblem(write: GuardedWrite): string | undefined {
  if (write.force === true && write.object?.metadata.uid === undefined) return 'a forced apply needs metadata.uid';
  return write.object?.metadata.labels?.[ENGINE_LABEL] === undefined ? `label ${ENGINE_LABEL} is missing` : undefined;
}

/** A ManagedCluster that the operator makes is marked as the one that stands for the hub. */
function localClusterProblem({ object }: GuardedWrite): string | undefined {
  const isMarked = object?.metadata.annotations?.[LOCAL_CLUSTER_ANNOTATION] === 'true';
  return isMarked ? undefined : `annotation ${LOCAL_CLUSTER_ANNOTATION} is missing`;
}

/** The Secrets that the operator writes have key pairs. */
function keyPairProblem(write: GuardedWrite): string | undefined {
  return at(write.object, 'type') === 'kubernetes.io/tls'
    ? engineLabelProblem(write)
    : 'a Secret must be of type kubernetes.io/tls';
}

/** The target namespace stays when the engine goes, and admits restricted pods only. */
function namespaceProblem(write: GuardedWrite): string | undefined {
  const { labels, ownerReferences = [] } = write.object?.metadata ?? {};
  if (ownerReferences.length > 0) return 'a namespace must have no owner: its objects would be deleted with it';
  if (labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted')
    return 'a namespace must enforce restricted Pod Security';
  return engineLabelProblem(write);
}
