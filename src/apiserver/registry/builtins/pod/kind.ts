import type { KubeObject } from '../../../object.js';
import { structAt, textAt } from '../../../fields.js';
import type { Kind } from '../kind.js';

/**
 * Pods are asked for by whoever looks at a Node or at a workload, so they can be read: there are none. Nothing here could run one,
 * so none can be made.
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
  verbs: ['get', 'list', 'watch'],
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
};

function textIn(struct: string, field: string): (pod: KubeObject) => string {
  return (pod) => textAt(structAt(pod, struct), field);
}
