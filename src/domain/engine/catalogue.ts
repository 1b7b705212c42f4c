import type { ResourceType, KubeObject } from '../../runtime/vocabulary/meta.js';
import {
  AGENT_LEASES_ROLE,
  AGENTS_NAMESPACE,
  COMPONENT_ROLE_PREFIX,
  INSTALLER_ROLE,
  LOCAL_CLUSTER_ROLE,
  PLACEMENT_LEASE,
} from '../../api/names.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  NetworkPolicies,
  PodDisruptionBudgets,
  RoleBindings,
  Secrets,
  ServiceAccounts,
  Services,
  apiVersionOf,
} from '../../runtime/vocabulary/kinds.js';

/** One component. Its objects are the YAML files of its folder. */
export interface ComponentRow {
  /** Also the name of its ServiceAccount and Deployment, and the end of the name of its ClusterRole and binding. */
  readonly name: string;
  /** Under `deploy/components/`. */
  readonly folder: string;
  /** Order among the components within each kind: lower is applied first and removed last. */
  readonly order: number;
  /** The Lease of its replicas, in the operator's namespace, which is set in their environment. */
  readonly leaderElection?: string;
  readonly servingCertificate?: ServingCertificateRow;
  /** It runs only where `spec.components` turns it on. Absent: it runs unless it is turned off there. */
  readonly optional?: true;
  /** What does not happen while it is off, for people. */
  readonly whileOff: string;
}

/** A certificate that the engine controller keeps in the target namespace. */
export interface ServingCertificateRow {
  /** The Secret (kubernetes.io/tls) that the component mounts. A Secret that is not ours is used as it is. */
  readonly secret: string;
  /** The ConfigMap whose `ca.crt` holds the certificates that clients have to trust. */
  readonly configMap: string;
  /** The Service whose DNS names the certificate has. */
  readonly service: string;
}

/** Every component that an engine consists of. */
export const CATALOGUE: readonly ComponentRow[] = [
  {
    name: 'placement-controller',
    folder: 'placement-controller',
    order: 10,
    leaderElection: PLACEMENT_LEASE,
    whileOff: 'each Placement keeps its last decision, whatever becomes of its clusters, and no cluster is tainted',
  },
  {
    name: 'gateway',
    folder: 'gateway',
    order: 20,
    servingCertificate: { secret: 'gateway-tls', configMap: 'gateway-ca', service: 'gateway' },
    whileOff: 'nobody answers at the HTTPS interface',
  },
  {
    name: 'console',
    folder: 'console',
    order: 30,
    servingCertificate: { secret: 'console-tls', configMap: 'console-ca', service: 'console' },
    // It takes tokens of people: an update must not open its port.
    optional: true,
    whileOff: 'nobody answers at the address of the console',
  },
];

/** The kinds of an engine's objects in the order of applying. They are removed in the reverse order. */
export const APPLY_ORDER: readonly ResourceType[] = [
  Namespaces,
  RoleBindings,
  ServiceAccounts,
  ClusterRoleBindings,
  ConfigMaps,
  Secrets,
  Services,
  PodDisruptionBudgets,
  NetworkPolicies,
  Deployments,
];

/** An object that is watched and removed by its name. */
export interface NamedObject {
  readonly type: ResourceType;
  readonly name: string;
}

/** The objects of the components' serving certificates in the order of applying. */
export function certificateObjectsOf(components: readonly ComponentRow[]): readonly NamedObject[] {
  return [ConfigMaps, Secrets].flatMap((type) =>
    components.flatMap(({ servingCertificate: row }) =>
      row === undefined ? [] : [{ type, name: type === Secrets ? row.secret : row.configMap }],
    ),
  );
}

/** Those of every component. */
export const CERTIFICATE_OBJECTS: readonly NamedObject[] = certificateObjectsOf(CATALOGUE);

/** The component that serves with the certificate in this Secret; empty for every other Secret. */
export function componentServingWith(secret: string): string {
  return CATALOGUE.find(({ servingCertificate }) => servingCertificate?.secret === secret)?.name ?? '';
}

/** A binding by its fixed name. A retired binding is pruned; its row, and with it the operator's right, stays until no hub has it. */
interface BindingRow extends NamedObject {
  /** A namespace outside the target, which has to exist. Absent: the target namespace, or none. */
  readonly namespace?: string;
  readonly retired?: true;
}

/** Every binding that this or an earlier version of the operator makes. A binding has the name of its role. */
export const BINDINGS: readonly BindingRow[] = [
  { type: RoleBindings, name: INSTALLER_ROLE },
  { type: ClusterRoleBindings, name: `${COMPONENT_ROLE_PREFIX}placement-controller` },
  { type: ClusterRoleBindings, name: LOCAL_CLUSTER_ROLE },
  { type: RoleBindings, name: AGENT_LEASES_ROLE, namespace: AGENTS_NAMESPACE },
];

/** The fixed namespace of an object outside the target namespace; undefined for all others. */
export function fixedNamespaceOf({ type, name }: NamedObject): string | undefined {
  return BINDINGS.find((row) => row.type === type && row.name === name)?.namespace;
}

/** The YAML of each component, by folder name. */
export type Templates = Readonly<Record<string, readonly KubeObject[]>>;

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
export function typeOf(manifest: KubeObject): ResourceType | undefined {
  return APPLY_ORDER.find((type) => type.kind === manifest.kind && apiVersionOf(type) === manifest.apiVersion);
}

export function isBinding(type: ResourceType): boolean {
  return type.kind === 'RoleBinding' || type.kind === 'ClusterRoleBinding';
}
