import { expect } from '@jest/globals';

import {
  DEFAULT_TARGET_NAMESPACE,
  ENGINE_LABEL,
  INSTALLER_ROLE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
} from '../../../src/api/names.js';
import type { AnyObject, ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';

export const TARGET = DEFAULT_TARGET_NAMESPACE;
export const TENANT = 'tenant';
export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const ENGINES = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
export const PLACEMENT_ROLE = 'multicluster-engine-placement-controller';

/**
 * What rejects a request: a missing permission, the escalation check of RBAC, the rules of a CRD, or one of these
 * policies.
 */
export type Barrier =
  | 'adoption'
  | 'rights'
  | 'escalation'
  | 'schema'
  | 'bindings'
  | 'engines'
  | 'local-cluster'
  | 'namespaces'
  | 'objects'
  | 'target';

/** One request with the operator's token, and what has to reject it; nothing when it has to be accepted. */
export interface Attempt {
  readonly way: string;
  readonly request: ApiRequest;
  readonly stoppedBy: readonly Barrier[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

export const OPERATOR: Subject = {
  kind: 'ServiceAccount',
  name: OPERATOR_SERVICE_ACCOUNT,
  namespace: OPERATOR_NAMESPACE,
};

export function account(namespace: string, name: string): Subject {
  return { kind: 'ServiceAccount', name, namespace };
}

/** Server-side apply of an object as a dry run. */
export function apply(path: string, body: AnyObject): ApiRequest {
  return {
    method: 'PATCH',
    path: `${path}?fieldManager=multicluster-engine&force=true&dryRun=All`,
    body,
    contentType: 'application/apply-patch+yaml',
  };
}

/** The same request without dry run. */
export function stored(request: ApiRequest): ApiRequest {
  return { ...request, path: request.path.replace(/[?&]dryRun=All/, '') };
}

export function post(path: string, body: AnyObject): ApiRequest {
  return { method: 'POST', path: `${path}?dryRun=All`, body };
}

export function merge(path: string, body: unknown): ApiRequest {
  return { method: 'PATCH', path: `${path}?dryRun=All`, body, contentType: 'application/merge-patch+json' };
}

export function remove(path: string): ApiRequest {
  return { method: 'DELETE', path: `${path}?dryRun=All` };
}

export function get(path: string): ApiRequest {
  return { method: 'GET', path };
}

/** A binding as the operator applies it; in a namespace, or for the whole cluster. */
export function binding(
  namespace: string | undefined,
  name: string,
  role: string,
  subjects: readonly Subject[],
): ApiRequest {
  const kind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  const path =
    namespace === undefined
      ? `${RBAC}/clusterrolebindings/${name}`
      : `${RBAC}/namespaces/${namespace}/rolebindings/${name}`;
  return apply(path, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects,
  });
}

/** The installer's binding to the operator itself. */
export function install(namespace: string): ApiRequest {
  return binding(namespace, INSTALLER_ROLE, INSTALLER_ROLE, [OPERATOR]);
}

export function namespaceObject(name: string, labels: Record<string, string>): ApiRequest {
  return apply(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}

export const OWN_LABELS = { [ENGINE_LABEL]: 'engine', 'pod-security.kubernetes.io/enforce': 'restricted' };

/** A component's Deployment with changes of its pod and of its container. */
export function deployment(
  name: string,
  pod: Record<string, unknown> = {},
  container: Record<string, unknown> = {},
): ApiRequest {
  const labels = { 'app.kubernetes.io/name': name };
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const containers = [{ name: 'main', image: 'multicluster-engine', securityContext, ...container }];
  return apply(`/apis/apps/v1/namespaces/${TARGET}/deployments/${name}`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: TARGET },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: name, containers, ...pod } },
    },
  });
}

/** Expects a rejection by one of the barriers, told apart by their messages, or success for no barrier. */
export function expectStopped(answer: ApiAnswer, stoppedBy: readonly Barrier[]): void {
  if (stoppedBy.length === 0) {
    expect({ allowed: answer.status < 300, text: answer.text }).toMatchObject({ allowed: true });
    return;
  }
  expect(stoppedBy).toContain(barrierOf(answer));
}

function barrierOf({ status, text, body: { message = '' } }: ApiAnswer): string {
  if (status === 422 && message.includes(' is invalid: spec.')) return 'schema';
  if (status !== 403) return `${status} ${text}`;
  const policy = /ValidatingAdmissionPolicy 'multicluster-engine-([a-z-]+)'/.exec(message)?.[1];
  if (policy !== undefined) return policy;
  if (message.includes('attempting to grant RBAC permissions not currently held')) return 'escalation';
  // Kubernetes 1.30 gives no reason where an apply may not create.
  return /cannot [a-z]+ (resource|path)| is forbidden: $/.test(message) ? 'rights' : message;
}
