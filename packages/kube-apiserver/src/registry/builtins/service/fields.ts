import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { textAt, textsAt } from '@multicluster-engine/values/fields';

/* Properties of the spec of a Service. */

export const NONE = 'None';

export function isHeadless(spec: JsonObject): boolean {
  const addresses = textsAt(spec, 'clusterIPs');
  return addresses.length === 1 && addresses[0] === NONE;
}

export function isExternalName(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'ExternalName';
}

export function isLoadBalancer(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer';
}

/** Whether the type has node ports. */
export function hasNodePorts(spec: JsonObject): boolean {
  return isLoadBalancer(spec) || textAt(spec, 'type') === 'NodePort';
}

/** Whether node ports are allocated for ports that request none. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return (
    textAt(spec, 'type') === 'NodePort' || (isLoadBalancer(spec) && spec['allocateLoadBalancerNodePorts'] !== false)
  );
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (textAt(spec, 'type') === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0);
}

export function needsHealthCheck(spec: JsonObject): boolean {
  return isLoadBalancer(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

export function sameAddresses(a: JsonObject, b: JsonObject): boolean {
  return (
    textAt(a, 'clusterIP') === textAt(b, 'clusterIP') && sameTexts(textsAt(a, 'clusterIPs'), textsAt(b, 'clusterIPs'))
  );
}

export function sameField(a: JsonObject, b: JsonObject, field: string): boolean {
  const read = (value: Json | undefined): Json => value ?? null;
  return read(a[field]) === read(b[field]);
}
