import type { OwnerReference } from '../../runtime/vocabulary/meta.js';
import { AGENT_NAMESPACE, AGENTS_NAMESPACE } from '../../api/names.js';
import { apiVersionOf, RoleBindings, Roles, Secrets } from '../../runtime/vocabulary/kinds.js';

/**
 * How Argo CD on the hub gets access to a cluster: a Secret in its namespace names the cluster, and the agent of the cluster puts a
 * token of the ServiceAccount `argo-cd` of the cluster into it. Policy `multicluster-engine-argo-cd` lets an agent change that
 * token alone. CEL cannot decode base64, so the text of the configuration has one form, which the policy recognizes as base64.
 */

/** The ServiceAccount of the cluster that Argo CD acts as. */
export const ARGO_CD_ACCOUNT = { namespace: AGENT_NAMESPACE, name: 'argo-cd' };

/** The Secret, Role and RoleBinding of a cluster in the namespace of Argo CD. */
export function argoCdSecret(cluster: string): string {
  return `cluster-${cluster}`;
}

/** Stands before the token, at a multiple of three characters, so that its base64 is the same in all Secrets. */
const BEFORE_TOKEN = '"bearerToken":"';
const AFTER_TOKEN = '"}\n';

/** The configuration with this token in place of the one that it has. @throws Error for a text of another form. */
export function configWithToken(config: string, token: string): string {
  const at = config.indexOf(BEFORE_TOKEN);
  if (at < 0 || at % 3 !== 0 || !config.endsWith(AFTER_TOKEN))
    throw new Error('its config is not as "cluster add" writes it');
  // Six characters for each: a multiple of three, and in base64 a form in which no quotation mark can end the text.
  const escaped = Array.from(token, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return config.slice(0, at + BEFORE_TOKEN.length) + escaped.join('') + AFTER_TOKEN;
}

/** What Argo CD has to know of a cluster. */
export interface ArgoCdCluster {
  readonly cluster: string;
  /** Address of its API server, for Argo CD. */
  readonly server: string;
  /** PEM; undefined: the certificates of the system. */
  readonly ca: string | undefined;
  /** Namespaces of the cluster that Argo CD may deploy to. */
  readonly namespaces: readonly string[];
  /** The namespace of Argo CD on the hub. */
  readonly argoCdNamespace: string;
}

/** The objects on the hub: the Secret without a token, and what lets the agent of the cluster alone change it. */
export function argoCdObjects(of: ArgoCdCluster, owner: OwnerReference) {
  const name = argoCdSecret(of.cluster);
  const metadata = { name, namespace: of.argoCdNamespace, ownerReferences: [owner] };
  const tls = of.ca === undefined ? {} : { caData: encoded(of.ca) };
  const head = `{"tlsClientConfig":${JSON.stringify(tls)},`;
  const config = head.padEnd(Math.ceil(head.length / 3) * 3) + BEFORE_TOKEN + AFTER_TOKEN;
  const data = { name: of.cluster, server: of.server, namespaces: of.namespaces.join(), config };
  const labels = { 'argocd.argoproj.io/secret-type': 'cluster' };
  const group = 'rbac.authorization.k8s.io';
  return [
    {
      apiVersion: apiVersionOf(Secrets),
      kind: Secrets.kind,
      metadata: { ...metadata, labels },
      type: 'Opaque',
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encoded(value)])),
    },
    {
      apiVersion: apiVersionOf(Roles),
      kind: Roles.kind,
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['get', 'patch'] }],
    },
    {
      apiVersion: apiVersionOf(RoleBindings),
      kind: RoleBindings.kind,
      metadata,
      roleRef: { apiGroup: group, kind: Roles.kind, name },
      subjects: [{ kind: 'ServiceAccount', namespace: AGENTS_NAMESPACE, name: of.cluster }],
    },
  ] as const;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
