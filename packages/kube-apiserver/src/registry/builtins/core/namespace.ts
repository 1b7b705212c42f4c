import type { KubeObject } from '@multicluster-engine/values/object';
import { index, invalidValue } from '@multicluster-engine/values/schema/field';
import { dns1123Label, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { invalidBecause } from '../validation/checks.js';
import { fillZero, ensureStruct, textOf } from '../draft.js';
import { structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, withMeta, type Kind } from '../kind.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const FINALIZER = 'kubernetes';
const STANDARD: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

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
  defaults(namespace) {
    fillZero(ensureStruct(namespace, 'status'), 'phase', 'Active');
    const metadata = ensureStruct(namespace, 'metadata');
    const name = textOf(metadata, 'name');
    if (name !== '') ensureStruct(metadata, 'labels')[NAME_LABEL] = name;
  },
  prepareCreate: (namespace) =>
    withNameLabel({
      ...namespace,
      spec: { finalizers: withFinalizer(finalizersOf(namespace)) },
      status: { phase: 'Active' },
    }),
  prepareUpdate: (next, old, subresource) => withNameLabel(fieldsFrom(next, old, fieldsKeptBy(subresource))),
  validate: (namespace) => finalizerErrors(namespace, () => 'spec.finalizers'),
  validateUpdate(next, _old, subresource) {
    if (subresource === 'status') return phaseErrors(next);
    return finalizerErrors(next, (at) =>
      subresource === 'finalize' ? index('spec.finalizers', at) : 'spec.finalizers',
    );
  },
};

/** Validates spec.finalizers, which only the `finalize` subresource can change. */
function finalizerErrors(namespace: KubeObject, pathOf: (at: number) => string): readonly FieldError[] {
  return finalizersOf(namespace).flatMap((name, at) => {
    const path = pathOf(at);
    const unqualified =
      name.includes('/') || STANDARD.includes(name)
        ? []
        : [invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
    return [...invalidBecause(path, name, qualifiedName(name)), ...unqualified];
  });
}

function phaseErrors(namespace: KubeObject): readonly FieldError[] {
  const phase = phaseOf(namespace);
  const deleting = namespace.metadata.deletionTimestamp !== undefined;
  if (phase === (deleting ? 'Terminating' : 'Active')) return [];
  const rule = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, rule)];
}

function fieldsKeptBy(subresource: string | undefined): readonly string[] {
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

/** Sets the label `kubernetes.io/metadata.name`. An invalid name gets none, so that only the name has an error. */
function withNameLabel(namespace: KubeObject): KubeObject {
  const { name, labels } = namespace.metadata;
  if (name === undefined || name === '' || labels?.[NAME_LABEL] === name || dns1123Label(name).length > 0)
    return namespace;
  return withMeta(namespace, { ...namespace.metadata, labels: { ...labels, [NAME_LABEL]: name } });
}
