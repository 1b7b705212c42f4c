import { own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidRaw,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, whenSet } from '../../validation/checks.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { relativePath } from '../../validation/paths.js';
import { checkWindows } from './windows.js';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const MAX_PATH_LENGTH = 4095;
const GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const PROC_MOUNTS = ['Default', 'Unmasked'];

/** Validates the security context of a Pod. */
export function checkPodSecurity(context: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const errors = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((field) =>
    idErrors(own(context, field), child(path, field)),
  );
  const groups = own(context, 'supplementalGroups');
  if (Array.isArray(groups))
    errors.push(...groups.flatMap((group: Json, at) => idErrors(group, index(child(path, 'supplementalGroups'), at))));
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true) {
    errors.push(
      invalidValue(
        child(path, 'shareProcessNamespace'),
        true,
        'ShareProcessNamespace and HostPID cannot both be enabled',
      ),
    );
  }
  const change = own(context, 'fsGroupChangePolicy');
  if (typeof change === 'string' && !GROUP_CHANGES.includes(change))
    errors.push(notSupported(child(path, 'fsGroupChangePolicy'), change, GROUP_CHANGES));
  const profiles = [
    ...whenSet(context, 'seccompProfile', path, checkSeccomp),
    ...whenSet(context, 'windowsOptions', path, checkWindows),
    ...whenSet(context, 'appArmorProfile', path, checkAppArmor),
  ];
  return [...errors, ...sysctlErrors(context, spec, path), ...choiceErrors(context, path), ...profiles];
}

function choiceErrors(context: JsonObject, path: string): readonly FieldError[] {
  const choices = [
    ['supplementalGroupsPolicy', ['Merge', 'Strict']],
    ['seLinuxChangePolicy', ['Recursive']],
  ] as const;
  return choices.flatMap(([field, supported]) => {
    const value = own(context, field);
    return typeof value === 'string' && !supported.some((one) => one === value)
      ? [notSupported(child(path, field), value, supported)]
      : [];
  });
}

function sysctlErrors(context: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(context, 'sysctls', path, (sysctl, at) => {
    const name = textAt(sysctl, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(child(at, 'name')));
    else if (!isSysctl(name))
      errors.push(
        invalidValue(
          child(at, 'name'),
          name,
          `must have at most 253 characters and match regex ^(${SYSCTL}[\\./])*${SYSCTL}$`,
        ),
      );
    else if (seen.has(name)) errors.push(duplicate(child(at, 'name'), name));
    seen.add(name);
    if (spec['hostNetwork'] === true && /^net[./]/.test(name))
      errors.push(invalidValue(child(at, 'name'), name, "may not be specified when 'hostNetwork' is true"));
    const isIpcSysctl = /^(kernel[./](shm|msg|sem)|fs[./]mqueue[./])/.test(name);
    if (spec['hostIPC'] === true && isIpcSysctl)
      errors.push(invalidValue(child(at, 'name'), name, "may not be specified when 'hostIPC' is true"));
    return errors;
  });
}

function isSysctl(name: string): boolean {
  return (
    name.length <= 253 &&
    name.split(/[./]/).every((part) => /^[-_a-z0-9]+$/.test(part) && /^[a-z0-9]/.test(part) && /[a-z0-9]$/.test(part))
  );
}

function checkAppArmor(profile: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(profile, 'type');
  const file = own(profile, 'localhostProfile');
  const at = child(path, 'localhostProfile');
  if (type === '') return [required(child(path, 'type'), 'type is required when appArmorProfile is set')];
  if (!PROFILE_TYPES.includes(type)) return [notSupported(child(path, 'type'), type, PROFILE_TYPES)];
  if (type !== 'Localhost')
    return typeof file === 'string' ? [invalidValue(at, file, 'can only be set when AppArmor type is Localhost')] : [];
  if (typeof file !== 'string' || file === '') return [required(at, 'must be set when AppArmor type is Localhost')];
  const padded = file.trim() === file ? [] : [invalidValue(at, file, 'must not be padded with whitespace')];
  return file.length > MAX_PATH_LENGTH ? [...padded, tooLong(at, MAX_PATH_LENGTH)] : padded;
}

/** Validates the security context of a container. @param spec of the Pod */
export function checkContainerSecurity(context: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (context['privileged'] === true)
    errors.push(forbiddenField(child(path, 'privileged'), 'disallowed by cluster policy'));
  errors.push(...['runAsUser', 'runAsGroup'].flatMap((field) => idErrors(own(context, field), child(path, field))));
  const mount = own(context, 'procMount');
  if (typeof mount === 'string' && !PROC_MOUNTS.includes(mount))
    errors.push(notSupported(child(path, 'procMount'), mount, PROC_MOUNTS));
  if (mount === 'Unmasked' && spec['hostUsers'] !== false)
    errors.push(invalidValue(child(path, 'procMount'), mount, '`hostUsers` must be false to use `Unmasked`'));
  errors.push(...whenSet(context, 'seccompProfile', path, checkSeccomp));
  return [
    ...errors,
    ...escalationErrors(context, path),
    ...whenSet(context, 'windowsOptions', path, checkWindows),
    ...whenSet(context, 'appArmorProfile', path, checkAppArmor),
  ];
}

function escalationErrors(context: JsonObject, path: string): readonly FieldError[] {
  if (context['allowPrivilegeEscalation'] !== false) return [];
  const errors: FieldError[] = [];
  const shown = goContext(context);
  if (context['privileged'] === true)
    errors.push(invalidRaw(path, shown, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
  const added = own(structAt(context, 'capabilities'), 'add');
  if (Array.isArray(added) && added.includes('CAP_SYS_ADMIN'))
    errors.push(
      invalidRaw(path, shown, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'),
    );
  return errors;
}

/** A security context as kube-apiserver prints its internal struct. */
function goContext(context: JsonObject): string {
  const capabilities = structAt(context, 'capabilities');
  const shown = has(context, 'capabilities')
    ? `{"Add":${goJson(own(capabilities, 'add'))},"Drop":${goJson(own(capabilities, 'drop'))}}`
    : 'null';
  const rest = [
    'Privileged',
    'SELinuxOptions',
    'WindowsOptions',
    'RunAsUser',
    'RunAsGroup',
    'RunAsNonRoot',
    'ReadOnlyRootFilesystem',
    'AllowPrivilegeEscalation',
    'ProcMount',
    'SeccompProfile',
    'AppArmorProfile',
  ];
  const parts = rest.map((name) => `"${name}":${goField(context, name)}`);
  return `{"Capabilities":${shown},${parts.join(',')}}`;
}

function goField(context: JsonObject, name: string): string {
  const field = name === 'SELinuxOptions' ? 'seLinuxOptions' : name.charAt(0).toLowerCase() + name.slice(1);
  if (!has(context, field)) return 'null';
  if (name === 'SeccompProfile' || name === 'AppArmorProfile') return goProfile(structAt(context, field));
  if (name !== 'SELinuxOptions') return goJson(own(context, field));
  const options = structAt(context, field);
  return `{${['User', 'Role', 'Type', 'Level'].map((part) => `"${part}":${goJson(textAt(options, part.toLowerCase()))}`).join(',')}}`;
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
    if (typeof file === 'string')
      errors.push(invalidRaw(at, goProfile(profile), 'can only be set when seccomp type is Localhost'));
    return errors;
  }
  if (typeof file !== 'string') return [...errors, required(at, 'must be set when seccomp type is Localhost')];
  return [...errors, ...relativePath(file, at)];
}
