import type { KubeObject } from '../../object.js';
import { dns1123Label } from '../../schema/names.js';
import { fillZero, struct } from './draft.js';
import { structAt, textAt, textsAt } from './fields.js';
import { fieldsFrom, STATUS, withMeta, type Kind } from './kind.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const FINALIZER = 'kubernetes';

export const NAMESPACE: Kind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  definition: 'io.k8s.api.core.v1.Namespace',
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: [{ name: 'finalize', verbs: ['update'] }, STATUS],
  validateName: dns1123Label,
  selectable: { 'status.phase': phaseOf },
  defaults: (namespace) => fillZero(struct(namespace, 'status'), 'phase', 'Active'),
  create: (namespace) => withNameLabel({ ...namespace, spec: { finalizers: withFinalizer(finalizersOf(namespace)) }, status: { phase: 'Active' } }),
  update: (next, old, subresource) => withNameLabel(fieldsFrom(next, old, keptBy(subresource))),
};

function keptBy(subresource: string | undefined): readonly string[] {
  if (subresource === 'status') return ['spec'];
  return subresource === 'finalize' ? ['status'] : ['spec', 'status'];
}

function phaseOf(namespace: KubeObject): string {
  return textAt(structAt(namespace, 'status'), 'phase');
}

function finalizersOf(namespace: KubeObject): readonly string[] {
  return textsAt(structAt(namespace, 'spec'), 'finalizers');
}

function withFinalizer(finalizers: readonly string[]): readonly string[] {
  return finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
}

/** Every namespace can be selected by its name. */
function withNameLabel(namespace: KubeObject): KubeObject {
  const { name, labels } = namespace.metadata;
  if (name === undefined || name === '' || labels?.[NAME_LABEL] === name) return namespace;
  return withMeta(namespace, { ...namespace.metadata, labels: { ...labels, [NAME_LABEL]: name } });
}
