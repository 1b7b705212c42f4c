import { fieldsFrom, STATUS, type Kind } from './kind.js';
import { fill, fillZero, inner, isDraft, items, struct, type Draft } from './draft.js';

const STICKY_SECONDS = 10800;

export const SERVICE: Kind = {
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
  defaults: serviceDefaults,
  create: (service) => ({ ...service, status: {} }),
  update: (next, old, subresource) => fieldsFrom(next, old, [subresource === 'status' ? 'spec' : 'status']),
};

function serviceDefaults(service: Draft): void {
  const spec = struct(service, 'spec');
  affinityDefaults(spec);
  fillZero(spec, 'type', 'ClusterIP');
  for (const port of items(spec, 'ports')) portDefaults(port);
  const external = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer' || (spec['type'] === 'ClusterIP' && hasItems(spec, 'externalIPs'));
  if (external) fillZero(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'ExternalName') fill(spec, 'internalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'LoadBalancer') return;
  fill(spec, 'allocateLoadBalancerNodePorts', true);
  const status = inner(struct(service, 'status'), 'loadBalancer');
  for (const ingress of status === undefined ? [] : items(status, 'ingress')) {
    if (ingress['ip'] !== undefined && ingress['ip'] !== '') fill(ingress, 'ipMode', 'VIP');
  }
}

function affinityDefaults(spec: Draft): void {
  fillZero(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  const config = inner(spec, 'sessionAffinityConfig');
  const client = config === undefined ? undefined : inner(config, 'clientIP');
  if (client?.['timeoutSeconds'] === undefined) spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: STICKY_SECONDS } };
}

function portDefaults(port: Draft): void {
  fillZero(port, 'protocol', 'TCP');
  fillZero(port, 'targetPort', port['port'] ?? 0);
}

function hasItems(spec: Draft, key: string): boolean {
  const list = spec[key];
  return Array.isArray(list) && list.length > 0 && !isDraft(list);
}
