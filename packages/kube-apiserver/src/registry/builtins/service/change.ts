import type { JsonObject } from '@multicluster-engine/values/json';
import { structsIn, textOf, type Draft } from '../draft.js';
import { listAt, numberAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import {
  allocatesNodePorts,
  hasNodePorts,
  isLoadBalancer,
  isExternalName,
  isExternallyAccessible,
  needsHealthCheck,
  sameField,
  sameAddresses,
  sameTexts,
} from './fields.js';

/** Keeps allocated values that an update does not set, for clients that do not send them back. */
export function keepAllocatedValues(spec: Draft, old: JsonObject): void {
  if (!isExternalName(old) && !isExternalName(spec)) {
    if (textOf(spec, 'clusterIP') === '') copyText(spec, old, 'clusterIP');
    if (textsAt(spec, 'clusterIPs').length === 0) copyTexts(spec, old, 'clusterIPs');
  }
  if (allocatesNodePorts(old) && allocatesNodePorts(spec)) keepPorts(spec, old);
  if (
    needsHealthCheck(old) &&
    needsHealthCheck(spec) &&
    numberAt(spec, 'healthCheckNodePort') === 0 &&
    numberAt(old, 'healthCheckNodePort') !== 0
  ) {
    spec['healthCheckNodePort'] = numberAt(old, 'healthCheckNodePort');
  }
  alignAddresses(spec, old);
}

/** Keeps node ports by the name of the port, unless another port requests the number. */
function keepPorts(spec: Draft, old: JsonObject): void {
  const before = new Map(listAt(old, 'ports').map((port) => [textAt(port, 'name'), numberAt(port, 'nodePort')]));
  const nodePorts = new Set(structsIn(spec, 'ports').map((port) => port['nodePort']));
  for (const port of structsIn(spec, 'ports')) {
    const oldPort = before.get(textOf(port, 'name')) ?? 0;
    if (!port['nodePort'] && oldPort !== 0 && !nodePorts.has(oldPort)) port['nodePort'] = oldPort;
  }
}

/** A change of only one of clusterIP and clusterIPs applies to both. */
function alignAddresses(spec: Draft, old: JsonObject): void {
  const [next, before] = [textOf(spec, 'clusterIP'), textAt(old, 'clusterIP')];
  if (next === before) {
    if (textsAt(spec, 'clusterIPs').length === 0) copyTexts(spec, old, 'clusterIPs');
    return;
  }
  if (!sameTexts(textsAt(spec, 'clusterIPs'), textsAt(old, 'clusterIPs'))) return;
  if (before !== '' && next === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [next];
}

/** Drops values that only the old type has, where the update did not change them. */
export function dropTypeDependentFields(spec: Draft, old: JsonObject): void {
  if (!isExternalName(old) && isExternalName(spec)) dropAddresses(spec, old);
  if (hasNodePorts(old) && !hasNodePorts(spec) && hasNoNewNodePorts(spec, old)) {
    for (const port of structsIn(spec, 'ports')) delete port['nodePort'];
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && sameField(spec, old, 'healthCheckNodePort'))
    delete spec['healthCheckNodePort'];
  if (isLoadBalancer(old) && !isLoadBalancer(spec)) {
    for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'])
      if (sameField(spec, old, field)) delete spec[field];
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && sameField(spec, old, 'externalTrafficPolicy'))
    delete spec['externalTrafficPolicy'];
}

function dropAddresses(spec: Draft, old: JsonObject): void {
  if (sameAddresses(spec, old)) {
    delete spec['clusterIP'];
    delete spec['clusterIPs'];
  }
  if (sameTexts(textsAt(spec, 'ipFamilies'), textsAt(old, 'ipFamilies'))) delete spec['ipFamilies'];
  if (sameField(spec, old, 'ipFamilyPolicy')) delete spec['ipFamilyPolicy'];
}

function hasNoNewNodePorts(spec: Draft, old: JsonObject): boolean {
  const before = new Set(listAt(old, 'ports').map((port) => numberAt(port, 'nodePort')));
  return structsIn(spec, 'ports').every((port) => !port['nodePort'] || before.has(Number(port['nodePort'])));
}

function copyText(spec: Draft, old: JsonObject, field: string): void {
  const value = textAt(old, field);
  if (value !== '') spec[field] = value;
}

function copyTexts(spec: Draft, old: JsonObject, field: string): void {
  const value = textsAt(old, field);
  if (value.length > 0) spec[field] = [...value];
}
