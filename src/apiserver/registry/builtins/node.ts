import { isObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { inner, isDraft, items } from './draft.js';
import { fieldsFrom, STATUS, type Kind } from './kind.js';
import { roundUpResources } from './quantity.js';

export const NODE: Kind = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  definition: 'io.k8s.api.core.v1.Node',
  shortNames: ['no'],
  subresources: [STATUS],
  selectable: { 'spec.unschedulable': (node) => String(isObject(node['spec']) && node['spec']['unschedulable'] === true) },
  defaults(node) {
    const status = inner(node, 'status');
    if (status === undefined) return;
    if (status['allocatable'] === undefined && isDraft(status['capacity'])) status['allocatable'] = { ...status['capacity'] };
    roundUpResources(status, 'capacity');
    roundUpResources(status, 'allocatable');
    for (const volume of items(status, 'volumesAttached')) roundUpResources(volume, 'capacity');
  },
  create: withoutConfiguration,
  update: (next, old, subresource) => withoutConfiguration(fieldsFrom(next, old, [subresource === 'status' ? 'spec' : 'status'])),
};

/** Fields of a removed feature are dropped. */
function withoutConfiguration(node: KubeObject): KubeObject {
  const { spec, status } = node;
  const next: { spec?: KubeObject['spec']; status?: KubeObject['status'] } = {};
  if (isObject(spec) && spec['configSource'] !== undefined) next.spec = without(spec, 'configSource');
  if (isObject(status) && status['config'] !== undefined) next.status = without(status, 'config');
  return { ...node, ...next };
}

function without(value: Readonly<Record<string, KubeObject['spec']>>, name: string): KubeObject['spec'] {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
