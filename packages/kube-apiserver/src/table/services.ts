import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { listAt, numberAt, structAt, textAt, textEntries, textsAt } from '@multicluster-engine/values/fields';
import type { Cells } from './cells.js';

export const SERVICE_CELLS: Cells = {
  Type: (service) => textAt(structAt(service, 'spec'), 'type'),
  'Cluster-IP': (service) => textsAt(structAt(service, 'spec'), 'clusterIPs')[0] ?? '<none>',
  'External-IP': externalAddress,
  'Port(s)': (service) => listAt(structAt(service, 'spec'), 'ports').map(port).join(',') || '<none>',
  Selector: (service) => selector(structAt(structAt(service, 'spec'), 'selector')),
};

function externalAddress(service: KubeObject): string {
  const spec = structAt(service, 'spec');
  const externalIps = textsAt(spec, 'externalIPs');
  switch (textAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIps.join(',') || '<none>';
    case 'LoadBalancer':
      return [...ingressAddresses(service), ...externalIps].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function ingressAddresses(service: KubeObject): readonly string[] {
  const found = new Set<string>();
  for (const ingress of listAt(structAt(structAt(service, 'status'), 'loadBalancer'), 'ingress')) {
    const shown = textAt(ingress, 'ip') || textAt(ingress, 'hostname');
    if (shown !== '') found.add(shown);
  }
  return [...found].sort();
}

function port(one: JsonObject): string {
  const node = numberAt(one, 'nodePort');
  const number = node > 0 ? `${numberAt(one, 'port')}:${node}` : `${numberAt(one, 'port')}`;
  return `${number}/${textAt(one, 'protocol')}`;
}

function selector(labels: JsonObject): string {
  const pairs = textEntries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || '<none>';
}
