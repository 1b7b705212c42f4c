import type { KubeObject } from '@multicluster-engine/values/object';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import type { Cells } from './cells.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

export const NODE_CELLS: Cells = {
  Status: status,
  Roles: (node) => roles(node).join(',') || '<none>',
  Version: (node) => info(node, 'kubeletVersion'),
  'Internal-IP': (node) => address(node, 'InternalIP'),
  'External-IP': (node) => address(node, 'ExternalIP'),
  'OS-Image': (node) => info(node, 'osImage') || '<unknown>',
  'Kernel-Version': kernel,
  'Container-Runtime': (node) => info(node, 'containerRuntimeVersion') || '<unknown>',
};

function status(node: KubeObject): string {
  const ready = listAt(structAt(node, 'status'), 'conditions').findLast(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  const shown = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return structAt(node, 'spec')['unschedulable'] === true ? `${shown},SchedulingDisabled` : shown;
}

function roles({ metadata }: KubeObject): readonly string[] {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    const role = key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : '';
    if (role !== '') found.add(role);
  }
  return [...found].sort();
}

function info(node: KubeObject, field: string): string {
  return textAt(structAt(structAt(node, 'status'), 'nodeInfo'), field);
}

function kernel(node: KubeObject): string {
  const architecture = info(node, 'architecture');
  const version = info(node, 'kernelVersion') || '<unknown>';
  return architecture === '' ? version : `${version} (${architecture})`;
}

function address(node: KubeObject, type: string): string {
  const found = listAt(structAt(node, 'status'), 'addresses').find((one) => textAt(one, 'type') === type);
  return found === undefined ? '<none>' : textAt(found, 'address');
}
