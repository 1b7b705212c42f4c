import type { ResourceType } from '../../api/meta.js';
import { COMPONENT_ROLE_PREFIX, INSTALLER_ROLE, PLACEMENT_LEASE } from '../../api/names.js';
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
} from '../../api/resources.js';
import { deploymentHealth, type HealthRule } from './status/health.js';

/** One component: a folder of plain YAML and this row. */
export interface ComponentRow {
  /** Also the name of its ServiceAccount and Deployment, and the end of the name of its ClusterRole and binding. */
  readonly name: string;
  /** Under `deploy/components/`. */
  readonly folder: string;
  /** Says of one of its Deployments whether it is ready. */
  readonly readiness: HealthRule;
  /** Place among the components, within each kind: lower comes first, and goes last. */
  readonly order: number;
  /** The Lease that its replicas share, in the operator's namespace, which is then filled into their environment. */
  readonly leaderElection?: string;
  /** Asks for a serving certificate. */
  readonly servingCertificate?: ServingCertificateRow;
}

/** A certificate that the engine controller keeps in the target namespace. */
export interface ServingCertificateRow {
  /** The Secret (kubernetes.io/tls) that the component mounts. One that is not ours is taken as it is. */
  readonly secret: string;
  /** The ConfigMap whose `ca.crt` holds what clients have to trust. */
  readonly configMap: string;
  /** The Service for whose names it is issued. */
  readonly service: string;
}

/** Every component that an engine consists of. */
export const CATALOGUE: readonly ComponentRow[] = [
  {
    name: 'placement-controller',
    folder: 'placement-controller',
    readiness: deploymentHealth,
    order: 10,
    leaderElection: PLACEMENT_LEASE,
  },
  {
    name: 'gateway',
    folder: 'gateway',
    readiness: deploymentHealth,
    order: 20,
    servingCertificate: { secret: 'gateway-tls', configMap: 'gateway-ca', service: 'gateway' },
  },
];

/** The kinds that an engine is made of, in the order in which they are applied; removed in the reverse order. */
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

/** An object that no YAML holds: known, watched and removed by its name. */
export interface NamedObject {
  readonly type: ResourceType;
  readonly name: string;
}

/** What serving certificates consist of, in the order of applying. */
export const CERTIFICATE_OBJECTS: readonly NamedObject[] = [ConfigMaps, Secrets].flatMap((type) =>
  CATALOGUE.flatMap(({ servingCertificate: row }) =>
    row === undefined ? [] : [{ type, name: type === Secrets ? row.secret : row.configMap }],
  ),
);

/** A binding by its fixed name. A retired one is wanted no more; it stays here, and so in the operator's rights, until no hub has it. */
export interface BindingRow extends NamedObject {
  readonly retired?: true;
}

/** Every binding that the operator makes or ever made. A binding is named like its role. */
export const BINDINGS: readonly BindingRow[] = [
  { type: RoleBindings, name: INSTALLER_ROLE },
  { type: ClusterRoleBindings, name: `${COMPONENT_ROLE_PREFIX}placement-controller` },
];
