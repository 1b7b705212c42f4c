import type { KubeObject } from '@multicluster-engine/values/object';
import { own } from '@multicluster-engine/values/json';
import { numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import type { Subresource } from '../../../resource.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { forbiddenField } from '@multicluster-engine/values/schema/field';
import { ensureStruct } from '../draft.js';
import { fieldsFrom, STATUS, type Kind } from '../kind.js';
import { podDefaults } from './defaults/podspec.js';
import { dropDisabledFields } from './features.js';
import { qosClass } from './qosclass.js';
import { checkPodAnnotations, checkProfiles } from './security/annotations.js';
import { checkPodSpec } from './spec.js';
import { checkSpecChange } from './update.js';
import { templateWarnings } from './warnings/template.js';

const connectSubresource = (name: string, kind: string | undefined, ...verbs: readonly string[]): Subresource => ({
  name,
  ...(kind === undefined ? {} : { kind }),
  verbs,
  connects: true,
});

/**
 * Pods are stored like any other object. What needs a kubelet (log, exec, …) is served by `http/pods`.
 *
 * Differences from kube-apiserver: changes of `resize` and `ephemeralcontainers` are refused, the status is not
 * validated, and the refusal of a changed spec shows no difference.
 */
export const POD: Kind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.Pod',
  shortNames: ['po'],
  categories: ['all'],
  generation: 'spec',
  subresources: [
    connectSubresource('attach', 'PodAttachOptions', 'create', 'get'),
    connectSubresource('binding', 'Binding', 'create'),
    { ...STATUS, name: 'ephemeralcontainers' },
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    connectSubresource('exec', 'PodExecOptions', 'create', 'get'),
    connectSubresource('log', undefined, 'get'),
    connectSubresource('portforward', 'PodPortForwardOptions', 'create', 'get'),
    connectSubresource('proxy', 'PodProxyOptions', 'create', 'delete', 'get', 'patch', 'update'),
    { ...STATUS, name: 'resize' },
    STATUS,
  ],
  selectable: {
    'spec.nodeName': textIn('spec', 'nodeName'),
    'spec.restartPolicy': textIn('spec', 'restartPolicy'),
    'spec.schedulerName': textIn('spec', 'schedulerName'),
    'spec.serviceAccountName': textIn('spec', 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(structAt(pod, 'spec')['hostNetwork'] === true),
    'status.phase': textIn('status', 'phase'),
    'status.podIP': textIn('status', 'podIP'),
    'status.nominatedNodeName': textIn('status', 'nominatedNodeName'),
  },
  defaults: (pod) => podDefaults(ensureStruct(pod, 'spec')),
  prepareCreate: (pod) =>
    withoutDisabledFields({ ...withGracePeriod(pod), status: { phase: 'Pending', qosClass: qosClass(pod) } }),
  prepareUpdate: (next, old, subresource) =>
    subresource === 'status' ? statusChange(next, old) : withoutDisabledFields(fieldsFrom(next, old, ['status'])),
  validate: (pod) => [...validate(pod), ...noEphemeralContainers(pod)],
  validateUpdate: (next, old, subresource) => {
    if (subresource === 'status') return [];
    return subresource === undefined
      ? [...validate(next), ...checkSpecChange(structAt(next, 'spec'), structAt(old, 'spec'))]
      : [forbiddenField(subresource, 'there is no kubelet that would apply it')];
  },
  warnings: (next, old) =>
    old !== undefined && old.metadata.generation === next.metadata.generation ? [] : templateWarnings(next, ''),
  gracePeriod,
};

function withoutDisabledFields(pod: KubeObject): KubeObject {
  const kept = dropDisabledFields(pod);
  return kept === pod ? pod : { ...pod, spec: structAt(kept, 'spec') };
}

/** A negative grace period means one second. */
function withGracePeriod(pod: KubeObject): KubeObject {
  const spec = structAt(pod, 'spec');
  return numberAt(spec, 'terminationGracePeriodSeconds') < 0
    ? { ...pod, spec: { ...spec, terminationGracePeriodSeconds: 1 } }
    : pod;
}

/** A change of the status keeps the owners and the QoS class. */
function statusChange(next: KubeObject, old: KubeObject): KubeObject {
  const kept = fieldsFrom(next, old, ['spec']);
  const { ownerReferences: _given, ...metadata } = kept.metadata;
  const { ownerReferences } = old.metadata;
  const owned = ownerReferences === undefined ? metadata : { ...metadata, ownerReferences };
  const status = { ...structAt(kept, 'status'), qosClass: own(structAt(old, 'status'), 'qosClass') };
  return { ...kept, metadata: owned, status };
}

function validate(pod: KubeObject): readonly FieldError[] {
  return [
    ...checkPodAnnotations(pod, 'metadata.annotations'),
    ...checkPodSpec(structAt(pod, 'spec'), 'spec'),
    ...checkProfiles(pod, 'spec'),
  ];
}

function noEphemeralContainers(pod: KubeObject): readonly FieldError[] {
  const { ephemeralContainers } = structAt(pod, 'spec');
  return Array.isArray(ephemeralContainers) && ephemeralContainers.length > 0
    ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]
    : [];
}

/** A Pod without a node and one that has ended are deleted at once: no kubelet has to stop anything. */
function gracePeriod(pod: KubeObject, requested: number | undefined): number {
  const spec = structAt(pod, 'spec');
  if (textAt(spec, 'nodeName') === '' || ['Failed', 'Succeeded'].includes(textAt(structAt(pod, 'status'), 'phase')))
    return 0;
  const ofPod = spec['terminationGracePeriodSeconds'];
  const period = requested ?? (typeof ofPod === 'number' ? ofPod : 0);
  return period < 0 ? 1 : period;
}

function textIn(struct: string, field: string): (pod: KubeObject) => string {
  return (pod) => textAt(structAt(pod, struct), field);
}
