import { own, type JsonObject } from '@multicluster-engine/values/json';
import { child, forbiddenField, invalidValue, key } from '@multicluster-engine/values/schema/field';
import { goQuote } from '@multicluster-engine/values/text';
import { validateAnnotations } from '@multicluster-engine/values/schema/metadata/validate';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { structAt, textAt, textEntries } from '@multicluster-engine/values/fields';
import { allContainers } from '../containers.js';
import { relativePath } from '../../validation/paths.js';

export const SECCOMP = {
  pod: 'seccomp.security.alpha.kubernetes.io/pod',
  container: 'container.seccomp.security.alpha.kubernetes.io/',
  text: 'non-functional in v1.27+; use the "seccompProfile" field instead',
} as const;
export const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const MIRROR = 'kubernetes.io/config.mirror';
const LOCALHOST = 'localhost/';

/** Validates the annotations of a template, and those that have a meaning to kube-apiserver by their value. */
export function checkAnnotations(template: JsonObject, path: string): readonly FieldError[] {
  const annotations = annotationsOf(template);
  return [...validateAnnotations(annotations, path), ...checkPodAnnotations(template, path)];
}

/** Validates the values of the annotations of a Pod or template that have a meaning to kube-apiserver. */
export function checkPodAnnotations(template: JsonObject, path: string): readonly FieldError[] {
  const annotations = annotationsOf(template);
  const spec = structAt(template, 'spec');
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && textAt(spec, 'nodeName') === '')
    errors.push(invalidValue(key(path, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  errors.push(...costErrors(annotations[DELETION_COST], key(path, DELETION_COST)));
  for (const [name, value] of Object.entries(annotations)) {
    if (name === SECCOMP.pod || name.startsWith(SECCOMP.container))
      errors.push(...seccompErrors(value, child(path, name)));
  }
  const containers = new Set(allContainers(spec, '').map(({ container }) => textAt(container, 'name')));
  for (const [name, value] of Object.entries(annotations)) {
    if (name.startsWith(APPARMOR)) errors.push(...appArmorErrors(containers, [name, value], path));
  }
  return errors;
}

function annotationsOf(template: JsonObject): Record<string, string> {
  return Object.fromEntries(textEntries(structAt(structAt(template, 'metadata'), 'annotations')));
}

function costErrors(cost: string | undefined, path: string): readonly FieldError[] {
  if (cost === undefined) return [];
  const valid = /^(0|-?[1-9]\d{0,9})$/.test(cost) && Number(cost) >= -(2 ** 31) && Number(cost) < 2 ** 31;
  return valid ? [] : [invalidValue(path, cost, 'must be a 32bit integer')];
}

function seccompErrors(profile: string, path: string): readonly FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  return profile.startsWith(LOCALHOST)
    ? relativePath(profile.slice(LOCALHOST.length), path)
    : [invalidValue(path, profile, 'must be a valid seccomp profile')];
}

function appArmorErrors(
  containers: ReadonlySet<string>,
  [name, profile]: readonly [name: string, profile: string],
  path: string,
): readonly FieldError[] {
  const at = key(path, name);
  const container = name.slice(APPARMOR.length);
  const errors: FieldError[] = containers.has(container) ? [] : [invalidValue(at, container, 'container not found')];
  const valid = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCALHOST);
  return valid ? errors : [...errors, invalidValue(at, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)];
}

interface Profile {
  /** The field of the security context. */
  readonly field: string;
  /** The name in messages. */
  readonly title: string;
  /** Prefix of the annotation of a container. */
  readonly prefix: string;
  /** Annotation values that mean the default of the runtime. */
  readonly defaults: readonly string[];
}

const PROFILES: Readonly<Record<'seccomp' | 'appArmor', Profile>> = {
  seccomp: {
    field: 'seccompProfile',
    title: 'seccomp',
    prefix: SECCOMP.container,
    defaults: ['runtime/default', 'docker/default'],
  },
  appArmor: { field: 'appArmorProfile', title: 'apparmor', prefix: APPARMOR, defaults: ['runtime/default'] },
};

/** Where an annotation and a field both set a profile they have to match. An AppArmor profile of the Pod applies to its containers. */
export function checkProfiles(template: JsonObject, path: string): readonly FieldError[] {
  const annotations = structAt(structAt(template, 'metadata'), 'annotations');
  const spec = structAt(template, 'spec');
  const podContext = structAt(spec, 'securityContext');
  const { seccomp, appArmor } = PROFILES;
  const containers = allContainers(spec, path);
  const windows = textAt(structAt(spec, 'os'), 'name') === 'windows';
  return [
    ...mismatch(
      structAt(podContext, seccomp.field),
      own(annotations, SECCOMP.pod),
      seccomp,
      child(path, 'securityContext'),
    ),
    ...containers.flatMap(({ container, path: at }) =>
      mismatch(
        structAt(structAt(container, 'securityContext'), seccomp.field),
        own(annotations, seccomp.prefix + textAt(container, 'name')),
        seccomp,
        child(at, 'securityContext'),
      ),
    ),
    ...(windows ? [] : containers).flatMap(({ container, path: at }) => {
      const context = structAt(container, 'securityContext');
      const profile = structAt(own(context, appArmor.field) === undefined ? podContext : context, appArmor.field);
      return mismatch(
        profile,
        own(annotations, appArmor.prefix + textAt(container, 'name')),
        appArmor,
        child(at, 'securityContext'),
      );
    }),
  ];
}

function mismatch(
  profile: JsonObject,
  annotation: unknown,
  { field, title, defaults }: Profile,
  path: string,
): readonly FieldError[] {
  if (typeof annotation !== 'string') return [];
  const at = child(path, field);
  const wrongType = [forbiddenField(child(at, 'type'), `${title} type in annotation and field must match`)];
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : wrongType;
    case 'RuntimeDefault':
      return defaults.includes(annotation) ? [] : wrongType;
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST)) return wrongType;
      return annotation.slice(LOCALHOST.length) === own(profile, 'localhostProfile')
        ? []
        : [forbiddenField(child(at, 'localhostProfile'), `${title} profile in annotation and field must match`)];
    default:
      return [];
  }
}
