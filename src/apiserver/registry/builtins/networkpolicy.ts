import { fill, items, struct, type Draft } from './draft.js';
import type { Kind } from './kind.js';

export const NETWORK_POLICY: Kind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  definition: 'io.k8s.api.networking.v1.NetworkPolicy',
  shortNames: ['netpol'],
  generation: 'spec',
  defaults(policy) {
    const spec = struct(policy, 'spec');
    for (const rule of [...items(spec, 'ingress'), ...items(spec, 'egress')]) portDefaults(rule);
    const types = spec['policyTypes'];
    if (Array.isArray(types) && types.length > 0) return;
    spec['policyTypes'] = items(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
};

function portDefaults(rule: Draft): void {
  for (const port of items(rule, 'ports')) fill(port, 'protocol', 'TCP');
}
