import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  key,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkAddress, checkRange, parseAddress } from '../validation/ipaddress.js';
import { each, has, invalidBecause, labelMap, portNameProblems, portNumber } from '../validation/checks.js';
import { listAt, numberAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { checkAddresses } from './addresses.js';
import { isLoadBalancer, isExternalName, isHeadless } from './fields.js';
import { checkLoadBalancerClass, checkTraffic } from './traffic.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_AFFINITY_SECONDS = 86400;
const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

/** Validates a Service; `old` is undefined for a new one. */
export function checkService(service: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const spec = structAt(service, 'spec');
  const before = old === undefined ? undefined : structAt(old, 'spec');
  const type = textAt(spec, 'type');
  const errors: FieldError[] = [...hintErrors(service)];
  if (listAt(spec, 'ports').length === 0 && !isHeadless(spec) && !isExternalName(spec))
    errors.push(required('spec.ports'));
  errors.push(...typeErrors(spec, type), ...portErrors(spec), ...labelMap(structAt(spec, 'selector'), 'spec.selector'));
  errors.push(...affinityErrors(spec), ...checkAddresses(spec, before), ...externalErrors(spec, before));
  if (type === '') errors.push(required('spec.type'));
  else if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  errors.push(...nodePortErrors(spec), ...rangeErrors(service, old), ...loadBalancerErrors(spec));
  return [...errors, ...checkTraffic(spec)];
}

function hintErrors({ metadata: { annotations = {} } }: KubeObject): readonly FieldError[] {
  const [mode, hints] = [annotations[MODE], annotations[HINTS]];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  return [
    invalidValue(key('metadata.annotations', MODE), mode, `must match annotations[${HINTS}] when both are specified`),
  ];
}

function typeErrors(spec: JsonObject, type: string): readonly FieldError[] {
  if (type === 'LoadBalancer' || type === 'NodePort') {
    return isHeadless(spec)
      ? [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
      : [];
  }
  if (type !== 'ExternalName') return [];
  const forbidden = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter(
    (field) => textsAt(spec, field).length > 0 || textAt(spec, field) !== '',
  );
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  return [
    ...forbidden.map((field) => forbiddenField(child('spec', field), 'may not be set for ExternalName services')),
    ...(name === ''
      ? [required('spec.externalName')]
      : invalidBecause('spec.externalName', name, dns1123Subdomain(name))),
  ];
}

function portErrors(spec: JsonObject): readonly FieldError[] {
  const names = new Set<string>();
  const many = listAt(spec, 'ports').length > 1;
  return each(spec, 'ports', 'spec', (port, at) => {
    const name = textAt(port, 'name');
    const errors: FieldError[] = name === '' && many ? [required(child(at, 'name'))] : [];
    if (name !== '') errors.push(...invalidBecause(child(at, 'name'), name, dns1123Label(name)));
    if (name !== '' && names.has(name)) errors.push(duplicate(child(at, 'name'), name));
    names.add(name);
    errors.push(...portNumber(own(port, 'port') ?? 0, child(at, 'port')));
    const protocol = textAt(port, 'protocol');
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(child(at, 'protocol'), protocol, PROTOCOLS));
    const target = own(port, 'targetPort');
    errors.push(
      ...(typeof target === 'string'
        ? invalidBecause(child(at, 'targetPort'), target, portNameProblems(target))
        : portNumber(target ?? 0, child(at, 'targetPort'))),
    );
    const application = own(port, 'appProtocol');
    return typeof application === 'string'
      ? [...errors, ...invalidBecause(child(at, 'appProtocol'), application, qualifiedName(application))]
      : errors;
  });
}

function affinityErrors(spec: JsonObject): readonly FieldError[] {
  const affinity = textAt(spec, 'sessionAffinity');
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (!AFFINITIES.includes(affinity)) return [notSupported('spec.sessionAffinity', affinity, AFFINITIES)];
  if (affinity === 'None')
    return has(spec, 'sessionAffinityConfig')
      ? [forbiddenField('spec.sessionAffinityConfig', 'must not be set when session affinity is None')]
      : [];
  const seconds = numberAt(structAt(structAt(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds');
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  return [
    invalidValue(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      seconds,
      `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`,
    ),
  ];
}

function externalErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const known = new Set(old === undefined ? [] : textsAt(old, 'externalIPs'));
  return textsAt(spec, 'externalIPs').flatMap((address, at) => {
    const path = index('spec.externalIPs', at);
    const errors = checkAddress(address, path, known);
    return errors.length > 0 ? errors : specialAddressErrors(address, path);
  });
}

/** Unspecified, loopback and link-local addresses are not allowed. */
function specialAddressErrors(address: string, path: string): readonly FieldError[] {
  const parsed = parseAddress(address);
  if (parsed === undefined) return [];
  const { bits, value } = parsed;
  const lead = bits === 32 ? value >> 24n : value >> 118n;
  const errors: FieldError[] = [];
  if (value === 0n) errors.push(invalidValue(path, address, `may not be unspecified (${address})`));
  if (bits === 32 ? lead === 127n : value === 1n)
    errors.push(invalidValue(path, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (bits === 32 ? value >> 16n === 0xa9fen : lead === 0x3fan)
    errors.push(invalidValue(path, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  if (bits === 32 ? value >> 8n === 0xe00000n : value >> 112n === 0xff02n)
    errors.push(invalidValue(path, address, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  return errors;
}

function nodePortErrors(spec: JsonObject): readonly FieldError[] {
  const inside = textAt(spec, 'type') === 'ClusterIP';
  const errors: FieldError[] = !inside
    ? []
    : [
        ...each(spec, 'ports', 'spec', (port, at) =>
          numberAt(port, 'nodePort') === 0
            ? []
            : [forbiddenField(child(at, 'nodePort'), "may not be used when `type` is 'ClusterIP'")],
        ),
      ];
  const nodePorts = new Set<string>();
  errors.push(
    ...each(spec, 'ports', 'spec', (port, at) => {
      const number = numberAt(port, 'nodePort');
      const text = `${textAt(port, 'protocol')}/${number}`;
      const repeated = number !== 0 && nodePorts.has(text) ? [duplicate(child(at, 'nodePort'), number)] : [];
      nodePorts.add(text);
      return repeated;
    }),
  );
  const ports = new Set<string>();
  errors.push(
    ...each(spec, 'ports', 'spec', (port, at) => {
      const text = `{"Name":"","Protocol":${goJson(textAt(port, 'protocol'))},"AppProtocol":null,"Port":${numberAt(port, 'port')},"TargetPort":0,"NodePort":0}`;
      const repeated: FieldError[] = ports.has(text)
        ? [{ reason: 'FieldValueDuplicate', field: at, message: `Duplicate value: ${text}` }]
        : [];
      ports.add(text);
      return repeated;
    }),
  );
  return errors;
}

/** Validates loadBalancerSourceRanges, or the annotation that precedes the field. */
function rangeErrors(service: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const spec = structAt(service, 'spec');
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges';
    const known = new Set(
      old === undefined ? [] : textsAt(structAt(old, 'spec'), 'loadBalancerSourceRanges').map((range) => range.trim()),
    );
    return [
      ...(isLoadBalancer(spec) ? [] : [forbiddenField(path, only)]),
      ...ranges.flatMap((range, at) => checkRange(range.trim(), index(path, at), known)),
    ];
  }
  const text = service.metadata.annotations?.[RANGES_ANNOTATION];
  if (text === undefined) return [];
  const path = key('metadata.annotations', RANGES_ANNOTATION);
  const errors: FieldError[] = isLoadBalancer(spec) ? [] : [forbiddenField(path, only)];
  if (old?.metadata.annotations?.[RANGES_ANNOTATION] === text || text.trim() === '') return errors;
  return [...errors, ...text.split(',').flatMap((range) => checkRange(range.trim(), path))];
}

function loadBalancerErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (has(spec, 'allocateLoadBalancerNodePorts') && !isLoadBalancer(spec))
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', only));
  return [...errors, ...checkLoadBalancerClass(spec)];
}
