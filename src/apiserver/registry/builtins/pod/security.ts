import { own, type Json, type JsonObject } from '../../../json.js';
import { child, forbiddenField, index, invalidRaw, invalidValue, notSupported, required } from '../../../schema/field.js';
import { goJson } from '../../../schema/gotext.js';
import type { FieldError } from '../../../status.js';
import { has, whenSet } from '../checks.js';
import { structAt, textAt } from '../fields.js';
import { relativePath } from './paths.js';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const PROC_MOUNTS = ['Default', 'Unmasked'];

/** Checks the security context of a pod. `spec` is the pod's. */
export function checkPodSecurity(context: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const errors = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((field) => idErrors(own(context, field), child(path, field)));
  const groups = own(context, 'supplementalGroups');
  if (Array.isArray(groups)) errors.push(...groups.flatMap((group: Json, at) => idErrors(group, index(child(path, 'supplementalGroups'), at))));
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true) {
    errors.push(invalidValue(child(path, 'shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  const change = own(context, 'fsGroupChangePolicy');
  if (typeof change === 'string' && !GROUP_CHANGES.includes(change)) errors.push(notSupported(child(path, 'fsGroupChangePolicy'), change, GROUP_CHANGES));
  return [...errors, ...whenSet(context, 'seccompProfile', path, checkSeccomp)];
}

/** Checks the security context of a container. */
export function checkContainerSecurity(context: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (context['privileged'] === true) errors.push(forbiddenField(child(path, 'privileged'), 'disallowed by cluster policy'));
  errors.push(...['runAsUser', 'runAsGroup'].flatMap((field) => idErrors(own(context, field), child(path, field))));
  const mount = own(context, 'procMount');
  if (typeof mount === 'string' && !PROC_MOUNTS.includes(mount)) errors.push(notSupported(child(path, 'procMount'), mount, PROC_MOUNTS));
  if (mount === 'Unmasked' && spec['hostUsers'] !== false) errors.push(invalidValue(child(path, 'procMount'), mount, '`hostUsers` must be false to use `Unmasked`'));
  errors.push(...whenSet(context, 'seccompProfile', path, checkSeccomp));
  return [...errors, ...escalationErrors(context, path)];
}

function escalationErrors(context: JsonObject, path: string): readonly FieldError[] {
  if (context['allowPrivilegeEscalation'] !== false) return [];
  const errors: FieldError[] = [];
  const shown = goContext(context);
  if (context['privileged'] === true) errors.push(invalidRaw(path, shown, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
  const added = own(structAt(context, 'capabilities'), 'add');
  if (Array.isArray(added) && added.includes('CAP_SYS_ADMIN')) errors.push(invalidRaw(path, shown, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
  return errors;
}

/** A context as the real server prints the struct it works with. */
function goContext(context: JsonObject): string {
  const capabilities = structAt(context, 'capabilities');
  const shown = has(context, 'capabilities') ? `{"Add":${goJson(own(capabilities, 'add'))},"Drop":${goJson(own(capabilities, 'drop'))}}` : 'null';
  const rest = ['Privileged', 'SELinuxOptions', 'WindowsOptions', 'RunAsUser', 'RunAsGroup', 'RunAsNonRoot', 'ReadOnlyRootFilesystem', 'AllowPrivilegeEscalation', 'ProcMount', 'SeccompProfile', 'AppArmorProfile'];
  const parts = rest.map((name) => `"${name}":${goField(context, name)}`);
  return `{"Capabilities":${shown},${parts.join(',')}}`;
}

function goField(context: JsonObject, name: string): string {
  const field = name === 'SELinuxOptions' ? 'seLinuxOptions' : name.charAt(0).toLowerCase() + name.slice(1);
  return name === 'SeccompProfile' && has(context, field) ? goProfile(structAt(context, field)) : goJson(own(context, field));
}

function goProfile(profile: JsonObject): string {
  return `{"Type":${goJson(textAt(profile, 'type'))},"LocalhostProfile":${goJson(own(profile, 'localhostProfile'))}}`;
}

function idErrors(value: Json | undefined, path: string): FieldError[] {
  const wrong = typeof value === 'number' && (value < 0 || value > 2 ** 31 - 1);
  return wrong ? [invalidValue(path, value, 'must be between 0 and 2147483647, inclusive')] : [];
}

function checkSeccomp(profile: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(profile, 'type');
  const file = own(profile, 'localhostProfile');
  const at = child(path, 'localhostProfile');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(child(path, 'type'), 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(child(path, 'type'), type, PROFILE_TYPES));
  if (type !== 'Localhost') {
    if (typeof file === 'string') errors.push(invalidRaw(at, goProfile(profile), 'can only be set when seccomp type is Localhost'));
    return errors;
  }
  if (typeof file !== 'string') return [...errors, required(at, 'must be set when seccomp type is Localhost')];
  return [...errors, ...relativePath(file, at)];
}
