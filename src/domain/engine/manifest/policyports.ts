import { API_SERVER_PORTS_ANNOTATION } from '../../../api/names.js';
import { API_SERVER_PORTS } from '../networkpolicies.js';
import { itemsAt, textAt, treeAt, type Manifest, type Tree } from './manifest.js';

/** A NetworkPolicy of a component with these ports of the API server in place of the template's, and their annotation. */
export function withApiServerPorts(policy: Manifest, ports: readonly number[]): Manifest {
  const egress = itemsAt(policy, 'spec', 'egress').map((rule) => ({
    ...rule,
    ports: [...ports.map(tcp), ...itemsAt(rule, 'ports').filter((one) => !isPortOf(one, API_SERVER_PORTS))],
  }));
  const { metadata } = policy;
  const annotations = { ...metadata.annotations, [API_SERVER_PORTS_ANNOTATION]: ports.join(',') };
  return { ...policy, metadata: { ...metadata, annotations }, spec: { ...treeAt(policy, 'spec'), egress } };
}

/** The ports of the API server that a stored policy was applied with: those of its annotation, else the template's. */
export function appliedPorts(policy: unknown): readonly number[] {
  const text = textAt(policy, 'metadata', 'annotations', API_SERVER_PORTS_ANNOTATION);
  return text === '' ? API_SERVER_PORTS : text.split(',').map(Number);
}

/** Whether an entry of a rule is one of these ports as the engine writes it. */
export function isPortOf(entry: Tree, ports: readonly number[]): boolean {
  const { protocol = 'TCP', port, endPort } = entry;
  return protocol === 'TCP' && endPort === undefined && ports.some((one) => one === port);
}

function tcp(port: number): Tree {
  return { protocol: 'TCP', port };
}
