import type { KubeObject } from '../../../object.js';
import { structAt, textAt } from '../../../fields.js';
import type { Subresource } from '../../../resource.js';
import { STATUS, type Kind } from '../kind.js';

const connectSubresource = (name: string, kind: string | undefined, ...verbs: readonly string[]): Subresource => ({
  name,
  ...(kind === undefined ? {} : { kind }),
  verbs,
  connects: true,
});

/**
 * Pods cannot be created, for nothing here runs them. They can be read, since clients list them for a Node or a
 * workload: every list is empty, and a request for one Pod is answered with 404.
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
  verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'],
  subresources: [
    connectSubresource('attach', 'PodAttachOptions', 'create', 'get'),
    connectSubresource('binding', 'Binding', 'create'),
    { ...STATUS, name: 'ephemeralcontainers' },
    { ...connectSubresource('eviction', 'Eviction', 'create'), group: 'policy', version: 'v1' },
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
};

function textIn(struct: string, field: string): (pod: KubeObject) => string {
  return (pod) => textAt(structAt(pod, struct), field);
}
