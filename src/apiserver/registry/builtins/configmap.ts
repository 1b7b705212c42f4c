import type { Kind } from './kind.js';

export const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  definition: 'io.k8s.api.core.v1.ConfigMap',
  shortNames: ['cm'],
};
