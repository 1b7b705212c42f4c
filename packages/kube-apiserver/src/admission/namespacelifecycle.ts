import { isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { pathSegment } from '@multicluster-engine/values/formats';
import { StatusError, forbidden, internalError, notFound, quoted } from '../status.js';
import type { Admission, AdmissionRequest } from './admission.js';

const UNDELETABLE: readonly string[] = ['default', 'kube-public', 'kube-system'];
const NAMESPACES = { group: '', plural: 'namespaces' };

/**
 * Reads the newest state of a namespace, even when it is not durable yet: a namespace that was just marked for deletion
 * accepts no new objects.
 */
export type FindNamespace = (name: string) => KubeObject | undefined;

/**
 * Refuses objects in namespaces that are missing or being deleted, and the deletion of {@link UNDELETABLE} namespaces.
 * Texts and order are those of the NamespaceLifecycle plugin.
 */
export function createNamespaceLifecycle(find: FindNamespace): Admission {
  return { validate: (request) => check(request, find) };
}

function check(request: AdmissionRequest, find: FindNamespace): void {
  const { resource, operation, name } = request;
  if (resource.group === '' && resource.plural === 'namespaces') {
    if (operation === 'DELETE' && UNDELETABLE.includes(name))
      throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
    return;
  }
  if (request.namespace === '' || operation === 'DELETE') return;
  if (resource.group === 'authorization.k8s.io' && resource.plural === 'localsubjectaccessreviews') return;
  const problems = pathSegment(request.namespace);
  if (problems.length > 0)
    throw internalError(`invalid resource name ${quoted(request.namespace)}: [${problems.join(' ')}]`);
  const namespace = find(request.namespace);
  if (namespace === undefined) throw notFound(NAMESPACES, request.namespace);
  if (operation === 'CREATE' && isTerminating(namespace)) throw terminating(request);
}

function isTerminating({ status }: KubeObject): boolean {
  return isObject(status) && status.phase === 'Terminating';
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace, resource } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { code, message, reason, details } = forbidden(resource, nameFor(request), why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError(code, message, {
    ...(reason === undefined ? {} : { reason }),
    details: { ...details, causes: [cause] },
  });
}

/** The name of an object for admission, which may not be generated yet. */
export function nameFor({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  if (object === undefined) return 'Unknown';
  const { name: own, generateName } = object.metadata;
  if (own !== undefined && own !== '') return own;
  return generateName !== undefined && generateName !== '' ? generateName : 'Unknown';
}
