import type { Kind } from './kind.js';

export const LEASE: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  definition: 'io.k8s.api.coordination.v1.Lease',
  createOnUpdate: true,
  conditionalUpdate: true,
};
