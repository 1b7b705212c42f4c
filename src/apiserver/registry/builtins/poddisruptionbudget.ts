import { fieldsFrom, STATUS, type Kind } from './kind.js';

export const POD_DISRUPTION_BUDGET: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  definition: 'io.k8s.api.policy.v1.PodDisruptionBudget',
  shortNames: ['pdb'],
  subresources: [STATUS],
  generation: 'spec',
  conditionalUpdate: true,
  create: (budget) => ({ ...budget, status: {} }),
  update: (next, old, subresource) => fieldsFrom(next, old, [subresource === 'status' ? 'spec' : 'status']),
};
