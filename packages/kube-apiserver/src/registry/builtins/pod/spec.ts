import { own, type JsonObject } from '@multicluster-engine/values/json';
import { byteLength } from '@multicluster-engine/values/text';
import {
  child,
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '@multicluster-engine/values/schema/field';
import { dns1123Label, dns1123Subdomain, qualifiedName, type NameRule } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkAddress } from '../validation/ipaddress.js';
import { each, eachText, has, invalidBecause, labelMap, whenSet } from '../validation/checks.js';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { checkContainers, checkInitContainers } from './container/container.js';
import { checkDns } from './dns.js';
import { checkFileVolumes } from './container/environment.js';
import { checkEphemeral } from './container/ephemeral.js';
import { checkContainerClaims, checkResourceClaims } from './container/resourceclaims.js';
import { checkPodResources, checkResources } from './container/resources.js';
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.js';
import { checkPodSecurity } from './security/context.js';
import { checkVolumes } from './volume/volumes.js';
import { checkHostProcesses } from './security/windows.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const OPERATING_SYSTEMS = ['linux', 'windows'];
const MAX_HOSTNAME_LENGTH = 64;
/** Fields that hold a name, with the rule of the name. */
const NAMES: readonly (readonly [field: string, rule: NameRule])[] = [
  ['serviceAccountName', dns1123Subdomain],
  ['nodeName', dns1123Subdomain],
  ['hostname', dns1123Label],
  ['subdomain', dns1123Label],
];

/** Validates a Pod spec, in the order of kube-apiserver. */
export function checkPodSpec(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = checkVolumes(spec, path);
  return [
    ...volumes.errors,
    ...checkResourceClaims(spec, path),
    ...checkContainers(spec, volumes.names, path),
    ...checkInitContainers(spec, volumes.names, path),
    ...checkEphemeral(spec, volumes.names, path),
    ...hostPortErrors(spec, path),
    ...oneOf(spec, 'restartPolicy', RESTART_POLICIES, path),
    ...oneOf(spec, 'dnsPolicy', DNS_POLICIES, path),
    ...labelMap(structAt(spec, 'nodeSelector'), child(path, 'nodeSelector')),
    ...whenSet(spec, 'securityContext', path, (context, at) => checkPodSecurity(context, spec, at)),
    ...whenSet(spec, 'affinity', path, checkAffinity),
    ...checkDns(spec, path),
    ...each(spec, 'readinessGates', path, (gate, at) =>
      invalidBecause(
        child(at, 'conditionType'),
        textAt(gate, 'conditionType'),
        qualifiedName(textAt(gate, 'conditionType')),
      ),
    ),
    ...checkSpread(spec, path),
    ...checkHostProcesses(spec, path),
    ...nameErrors(spec, path),
    ...deadlineErrors(spec, path),
    ...checkTolerations(spec, path),
    ...each(spec, 'hostAliases', path, checkHostAlias),
    ...classAndPreemptionErrors(spec, path),
    ...whenSet(spec, 'os', path, checkOperatingSystem),
    ...schedulingGateErrors(spec, path),
    ...hostnameErrors(spec, path),
    ...hostUserErrors(spec, path),
    ...whenSet(spec, 'resources', path, (resources, at) => [
      ...checkPodResources(resources, at),
      ...checkContainerClaims({ resources }, spec, path),
    ]),
    ...whenSet(spec, 'overhead', path, (overhead, at) => checkResources({ limits: overhead }, at)),
    ...checkFileVolumes(spec, path),
  ];
}

function oneOf(spec: JsonObject, field: string, supported: readonly string[], path: string): readonly FieldError[] {
  const value = textAt(spec, field);
  if (supported.includes(value)) return [];
  return [value === '' ? required(child(path, field)) : notSupported(child(path, field), value, supported)];
}

/** With hostNetwork a hostPort has to equal the containerPort. */
function hostPortErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (spec['hostNetwork'] !== true) return [];
  return each(spec, 'containers', path, (container, at) =>
    each(container, 'ports', at, (port, portPath) => {
      const host = port['hostPort'];
      const wrong = typeof host === 'number' && host !== 0 && host !== port['containerPort'];
      return wrong
        ? [invalidValue(child(portPath, 'hostPort'), host, 'must match `containerPort` when `hostNetwork` is true')]
        : [];
    }),
  );
}

function nameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return NAMES.flatMap(([field, rule]) => {
    const name = textAt(spec, field);
    return name === '' ? [] : invalidBecause(child(path, field), name, rule(name));
  });
}

function deadlineErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const deadline = spec['activeDeadlineSeconds'];
  if (typeof deadline !== 'number' || (deadline >= 1 && deadline <= 2 ** 31 - 1)) return [];
  return [invalidValue(child(path, 'activeDeadlineSeconds'), deadline, 'must be between 1 and 2147483647, inclusive')];
}

function checkHostAlias(alias: JsonObject, path: string): readonly FieldError[] {
  return [
    ...checkAddress(textAt(alias, 'ip'), child(path, 'ip')),
    ...eachText(alias, 'hostnames', path, (name, at) => invalidBecause(at, name, dns1123Subdomain(name))),
  ];
}

function classAndPreemptionErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const priority = textAt(spec, 'priorityClassName');
  const runtime = textAt(spec, 'runtimeClassName');
  return [
    ...(priority === '' ? [] : invalidBecause(child(path, 'priorityClassName'), priority, dns1123Subdomain(priority))),
    ...(has(spec, 'runtimeClassName')
      ? invalidBecause(child(path, 'runtimeClassName'), runtime, dns1123Subdomain(runtime))
      : []),
    ...(has(spec, 'preemptionPolicy') ? oneOf(spec, 'preemptionPolicy', PREEMPTION_POLICIES, path) : []),
  ];
}

function checkOperatingSystem(system: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(system, 'name');
  if (name === '') return [required(child(path, 'name'))];
  return OPERATING_SYSTEMS.includes(name) ? [] : [notSupported(path, name, OPERATING_SYSTEMS)];
}

function schedulingGateErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(spec, 'schedulingGates', path, (gate, at) => {
    const name = textAt(gate, 'name');
    const repeated = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...invalidBecause(at, name, qualifiedName(name)), ...repeated];
  });
}

function hostnameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const at = child(path, 'hostnameOverride');
  const name = own(spec, 'hostnameOverride');
  if (typeof name !== 'string') return [];
  const errors: FieldError[] = [];
  if (spec['setHostnameAsFQDN'] === true)
    errors.push(forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec['hostNetwork'] === true) errors.push(forbiddenField(at, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > MAX_HOSTNAME_LENGTH) errors.push(tooLong(at, MAX_HOSTNAME_LENGTH));
  return [...errors, ...invalidBecause(at, name, dns1123Subdomain(name))];
}

/** A Pod with a user namespace (`hostUsers: false`) cannot share other namespaces or devices of the host. */
function hostUserErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  // kube-apiserver spells two of these fields with a capital letter in the paths of its errors.
  const shared = [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const;
  const errors: FieldError[] = shared
    .filter(([field]) => spec[field] === true)
    .map(([, pathField]) => forbiddenField(child(path, pathField), 'when `hostUsers` is false'));
  for (const list of ['initContainers', 'containers']) {
    errors.push(
      ...each(spec, list, path, (container, at) =>
        listAt(container, 'volumeDevices').length > 0
          ? [forbiddenField(child(at, 'volumeDevices'), 'when `hostUsers` is false')]
          : [],
      ),
    );
  }
  return errors;
}
