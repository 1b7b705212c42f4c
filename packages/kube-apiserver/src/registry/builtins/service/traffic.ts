import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Subdomain, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { addressWarnings, checkAddress, parseAddress, rangeWarnings } from '../validation/ipaddress.js';
import { has, invalidBecause, portNumber } from '../validation/checks.js';
import { listAt, numberAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { isLoadBalancer, isExternalName, isExternallyAccessible, needsHealthCheck, NONE, sameField } from './fields.js';

const EXTERNAL = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const MODES = ['Proxy', 'VIP'];
const HINTS = 'service.kubernetes.io/topology-aware-hints';

/** Validates traffic policies and the health check node port. */
export function checkTraffic(spec: JsonObject): readonly FieldError[] {
  return [...externalErrors(spec), ...healthErrors(spec), ...internalErrors(spec), ...distributionErrors(spec)];
}

function externalErrors(spec: JsonObject): readonly FieldError[] {
  const policy = textAt(spec, 'externalTrafficPolicy');
  const path = 'spec.externalTrafficPolicy';
  if (!isExternallyAccessible(spec))
    return policy === '' ? [] : [invalidValue(path, policy, 'may only be set for externally-accessible services')];
  if (policy === '') return [required(path)];
  return EXTERNAL.includes(policy) ? [] : [notSupported(path, policy, EXTERNAL)];
}

function healthErrors(spec: JsonObject): readonly FieldError[] {
  const port = numberAt(spec, 'healthCheckNodePort');
  const path = 'spec.healthCheckNodePort';
  if (needsHealthCheck(spec)) return port === 0 ? [required(path)] : portNumber(port, path);
  return port === 0
    ? []
    : [
        invalidValue(
          path,
          port,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      ];
}

function internalErrors(spec: JsonObject): readonly FieldError[] {
  const path = 'spec.internalTrafficPolicy';
  if (!has(spec, 'internalTrafficPolicy'))
    return ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(textAt(spec, 'type')) ? [required(path)] : [];
  const policy = textAt(spec, 'internalTrafficPolicy');
  return EXTERNAL.includes(policy) ? [] : [notSupported(path, policy, EXTERNAL)];
}

function distributionErrors(spec: JsonObject): readonly FieldError[] {
  const distribution = own(spec, 'trafficDistribution');
  if (typeof distribution !== 'string' || DISTRIBUTIONS.includes(distribution)) return [];
  return [notSupported('spec.trafficDistribution', distribution, DISTRIBUTIONS)];
}

/** Errors of values that are immutable while both the old and the new Service need them. */
export function checkTrafficChange(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isLoadBalancer(spec) && isLoadBalancer(old) && !sameField(spec, old, 'loadBalancerClass')) {
    errors.push(invalidValue('spec.loadBalancerClass', own(spec, 'loadBalancerClass'), 'may not change once set'));
  }
  errors.push(...checkLoadBalancerClass(spec));
  const checked = needsHealthCheck(spec) && needsHealthCheck(old);
  if (checked && !sameField(spec, old, 'healthCheckNodePort'))
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
  return errors;
}

/** Validates loadBalancerClass. kube-apiserver does so twice for an update, and reports errors twice. */
export function checkLoadBalancerClass(spec: JsonObject): readonly FieldError[] {
  if (!has(spec, 'loadBalancerClass')) return [];
  const name = textAt(spec, 'loadBalancerClass');
  if (isLoadBalancer(spec)) return invalidBecause('spec.loadBalancerClass', name, qualifiedName(name));
  return [forbiddenField('spec.loadBalancerClass', "may only be used when `type` is 'LoadBalancer'")];
}

/** Validates the status: the ingress points of a load balancer. */
export function checkStatus(service: KubeObject, old: KubeObject): readonly FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const listed = (one: KubeObject): readonly JsonObject[] =>
    listAt(structAt(structAt(one, 'status'), 'loadBalancer'), 'ingress');
  const all = listed(service);
  if (!isLoadBalancer(structAt(service, 'spec')))
    return all.length === 0 ? [] : [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = new Set(listed(old).map((ingress) => textAt(ingress, 'ip')));
  return all.flatMap((ingress, at) => checkIngress(ingress, index(path, at), known));
}

function checkIngress(ingress: JsonObject, path: string, known: ReadonlySet<string>): readonly FieldError[] {
  const [address, host, mode] = [textAt(ingress, 'ip'), textAt(ingress, 'hostname'), own(ingress, 'ipMode')];
  const errors: FieldError[] = address === '' ? [] : [...checkAddress(address, child(path, 'ip'), known)];
  if (typeof mode !== 'string') {
    if (address !== '') errors.push(required(child(path, 'ipMode'), 'must be specified when `ip` is set'));
  } else if (address === '') {
    errors.push(forbiddenField(child(path, 'ipMode'), 'may not be specified when `ip` is not set'));
  } else if (!MODES.includes(mode)) {
    errors.push(notSupported(child(path, 'ipMode'), mode, MODES));
  }
  if (host === '') return errors;
  errors.push(...invalidBecause(child(path, 'hostname'), host, dns1123Subdomain(host)));
  return parseAddress(host) === undefined
    ? errors
    : [...errors, invalidValue(child(path, 'hostname'), host, 'must be a DNS name, not an IP address')];
}

/** Warnings of a Service. */
export function serviceWarnings(service: KubeObject): readonly string[] {
  const spec = structAt(service, 'spec');
  const headless = textAt(spec, 'type') === 'ClusterIP' && textAt(spec, 'clusterIP') === NONE;
  const external = textsAt(spec, 'externalIPs');
  const warnings: string[] = [];
  if (service.metadata.annotations?.[HINTS] !== undefined)
    warnings.push(`annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (!headless)
    warnings.push(
      ...textsAt(spec, 'clusterIPs').flatMap((address, at) => addressWarnings(address, index('spec.clusterIPs', at))),
    );
  if (headless) warnings.push(...ignoredByHeadless(spec));
  warnings.push(...external.flatMap((address, at) => addressWarnings(address, index('spec.externalIPs', at))));
  if (external.length > 0 && !headless && !isExternalName(spec))
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (textAt(spec, 'loadBalancerIP') !== '')
    warnings.push(...addressWarnings(textAt(spec, 'loadBalancerIP'), 'spec.loadBalancerIP'));
  warnings.push(
    ...textsAt(spec, 'loadBalancerSourceRanges').flatMap((range, at) =>
      rangeWarnings(range.trim(), index('spec.loadBalancerSourceRanges', at)),
    ),
  );
  if (isExternalName(spec) && external.length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName(spec) && textAt(spec, 'externalName') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (textAt(spec, 'trafficDistribution') === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

function ignoredByHeadless(spec: JsonObject): readonly string[] {
  const ignored = [
    ...(textAt(spec, 'loadBalancerIP') === '' ? [] : ['loadBalancerIP']),
    ...(textsAt(spec, 'externalIPs').length === 0 ? [] : ['externalIPs']),
    ...(textAt(spec, 'sessionAffinity') === 'None' ? [] : ['SessionAffinity']),
  ];
  return ignored.map((field) => `spec.${field} is ignored for headless services`);
}
