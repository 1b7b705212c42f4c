import { isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { dns1123Label } from '@multicluster-engine/values/formats';
import { draftOf, fill, fillZero, structIn, isDraft, structsIn, ensureStruct, type Draft } from '../draft.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, type Kind } from '../kind.js';
import { checkAddressChange } from './addresses.js';
import { allocate, reallocate } from './allocation.js';
import type { ServiceAllocator } from './allocator.js';
import { dropTypeDependentFields, keepAllocatedValues } from './change.js';
import { checkService } from './check.js';
import { isLoadBalancer, isExternallyAccessible } from './fields.js';
import { checkStatus, checkTrafficChange, serviceWarnings } from './traffic.js';

const STICKY_SECONDS = 10800;

export function serviceKind(allocator: ServiceAllocator): Kind {
  return {
    group: '',
    version: 'v1',
    kind: 'Service',
    plural: 'services',
    namespaced: true,
    definition: 'io.k8s.api.core.v1.Service',
    shortNames: ['svc'],
    categories: ['all'],
    subresources: [STATUS],
    createOnUpdate: true,
    validateName: dns1123Label,
    selectable: {
      'spec.clusterIP': (service) => textAt(structAt(service, 'spec'), 'clusterIP'),
      'spec.type': (service) => textAt(structAt(service, 'spec'), 'type'),
    },
    visible: withoutInternalTrafficPolicy,
    defaults: serviceDefaults,
    prepareCreate: (service) =>
      withSpec({ ...service, status: {} }, (spec) => {
        allocate(spec, { name: service.metadata.name ?? '', allocator, old: undefined });
      }),
    prepareUpdate: (next, old, subresource) =>
      subresource === 'status' ? fieldsFrom(next, old, ['spec']) : prepareUpdate(next, old, allocator),
    validate: (service) => checkService(service, undefined),
    validateUpdate(next, old, subresource) {
      if (subresource === 'status') return checkStatus(next, old);
      const [spec, before] = [structAt(next, 'spec'), structAt(old, 'spec')];
      return [...checkAddressChange(spec, before), ...checkTrafficChange(spec, before), ...checkService(next, old)];
    },
    warnings: serviceWarnings,
  };
}

function prepareUpdate(next: KubeObject, old: KubeObject, allocator: ServiceAllocator): KubeObject {
  const before = structAt(old, 'spec');
  const updated = withSpec(fieldsFrom(next, old, ['status']), (spec) => {
    keepAllocatedValues(spec, before);
    reallocate(spec, { name: next.metadata.name ?? '', allocator, old: before });
    dropTypeDependentFields(spec, before);
  });
  return isLoadBalancer(structAt(updated, 'spec'))
    ? updated
    : { ...updated, status: { ...structAt(updated, 'status'), loadBalancer: {} } };
}

/** An ExternalName Service stores and owns its internalTrafficPolicy, but responses omit it, as those of kube-apiserver. */
function withoutInternalTrafficPolicy(service: KubeObject): KubeObject {
  const { spec } = service;
  if (!isObject(spec) || spec['type'] !== 'ExternalName' || spec['internalTrafficPolicy'] === undefined) return service;
  const { internalTrafficPolicy: _unseen, ...rest } = spec;
  return { ...service, spec: rest };
}

function withSpec(service: KubeObject, change: (spec: Draft) => void): KubeObject {
  const spec = draftOf(structAt(service, 'spec'));
  if (!isDraft(spec)) return service;
  change(spec);
  return { ...service, spec };
}

function serviceDefaults(service: Draft): void {
  const spec = ensureStruct(service, 'spec');
  affinityDefaults(spec);
  fillZero(spec, 'type', 'ClusterIP');
  for (const port of structsIn(spec, 'ports')) {
    fillZero(port, 'protocol', 'TCP');
    fillZero(port, 'targetPort', port['port'] ?? 0);
  }
  if (isExternallyAccessible(spec)) fillZero(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec['type'] === 'ClusterIP' || spec['type'] === 'NodePort' || isLoadBalancer(spec))
    fill(spec, 'internalTrafficPolicy', 'Cluster');
  if (!isLoadBalancer(spec)) return;
  fill(spec, 'allocateLoadBalancerNodePorts', true);
  const balancer = structIn(ensureStruct(service, 'status'), 'loadBalancer');
  for (const ingress of balancer === undefined ? [] : structsIn(balancer, 'ingress')) {
    if (ingress['ip'] !== undefined && ingress['ip'] !== '') fill(ingress, 'ipMode', 'VIP');
  }
}

function affinityDefaults(spec: Draft): void {
  fillZero(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  const config = structIn(spec, 'sessionAffinityConfig');
  const client = config === undefined ? undefined : structIn(config, 'clientIP');
  if (client?.['timeoutSeconds'] === undefined)
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: STICKY_SECONDS } };
}
