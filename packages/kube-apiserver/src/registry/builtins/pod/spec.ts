import type { JsonObject } from '../../../json.js';
import { child, invalidValue, notSupported, required } from '../../../schema/field.js';
import { dns1123Label, dns1123Subdomain, qualifiedName, type NameRule } from '../../../schema/metadata/names.js';
import type { FieldError } from '../../../status.js';
import { checkAddress } from '../validation/ipaddress.js';
import { each, eachText, has, invalidBecause, labelMap, whenSet } from '../validation/checks.js';
import { structAt, textAt } from '../../../fields.js';
import { checkContainers, checkInitContainers } from './container/container.js';
import { checkDns } from './dns.js';
import { checkFileVolumes } from './container/environment.js';
import { checkEphemeral } from './container/ephemeral.js';
import { checkExtras, claimErrors } from './extras.js';
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.js';
import { checkPodSecurity } from './security/context.js';
import { checkVolumes } from './volume/volumes.js';
import { checkHostProcesses } from './security/windows.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
/** Names of other objects, and of the pod itself. */
const NAMES: readonly (readonly [field: string, rule: NameRule])[] = [
  ['serviceAccountName', dns1123Subdomain],
  ['nodeName', dns1123Subdomain],
  ['hostname', dns1123Label],
  ['subdomain', dns1123Label],
];

/** Checks what a pod is made of, in the order of the real server. */
export function checkPodSpec(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = checkVolumes(spec, path);
  return [
    ...volumes.errors,
    ...claimErrors(spec, path),
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
    ...checkTolerations(spec, path),
    ...each(spec, 'hostAliases', path, checkHostAlias),
    ...classErrors(spec, path),
    ...checkExtras(spec, path),
    ...checkFileVolumes(spec, path),
  ];
}

function oneOf(spec: JsonObject, field: string, supported: readonly string[], path: string): readonly FieldError[] {
  const value = textAt(spec, field);
  if (supported.includes(value)) return [];
  return [value === '' ? required(child(path, field)) : notSupported(child(path, field), value, supported)];
}

/** With the network of the host a port of the host can only be the container's own. */
function hostPortErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (spec['hostNetwork'] !== true) return [];
  return each(spec, 'containers', path, (container, at) =>
    each(container, 'ports', at, (port, place) => {
      const host = port['hostPort'];
      const wrong = typeof host === 'number' && host !== 0 && host !== port['containerPort'];
      return wrong
        ? [invalidValue(child(place, 'hostPort'), host, 'must match `containerPort` when `hostNetwork` is true')]
        : [];
    }),
  );
}

function nameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors = NAMES.flatMap(([field, rule]) => {
    const name = textAt(spec, field);
    return name === '' ? [] : invalidBecause(child(path, field), name, rule(name));
  });
  const deadline = spec['activeDeadlineSeconds'];
  if (typeof deadline !== 'number' || (deadline >= 1 && deadline <= 2 ** 31 - 1)) return errors;
  return [
    ...errors,
    invalidValue(child(path, 'activeDeadlineSeconds'), deadline, 'must be between 1 and 2147483647, inclusive'),
  ];
}

function checkHostAlias(alias: JsonObject, path: string): readonly FieldError[] {
  return [
    ...checkAddress(textAt(alias, 'ip'), child(path, 'ip')),
    ...eachText(alias, 'hostnames', path, (name, at) => invalidBecause(at, name, dns1123Subdomain(name))),
  ];
}

function classErrors(spec: JsonObject, path: string): readonly FieldError[] {
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
