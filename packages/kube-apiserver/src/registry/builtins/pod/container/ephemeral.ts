import { isObject, own, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
} from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has } from '../../validation/checks.js';
import { countAt, listAt, textAt } from '@multicluster-engine/values/fields';
import { checkContainer } from './container.js';

/** Fields that ephemeral containers cannot set, in the order of kube-apiserver. */
const FORBIDDEN_FIELDS = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const CANNOT = 'cannot be set for an Ephemeral Container';

/** Validates ephemeral containers. @param volumes names of the volumes that can be mounted */
export function checkEphemeral(spec: JsonObject, volumes: ReadonlySet<string>, path: string): readonly FieldError[] {
  const others = new Set(
    [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')].map((container) => textAt(container, 'name')),
  );
  const names = new Set(others);
  return each(spec, 'ephemeralContainers', path, (container, at) => {
    const errors = [...checkContainer(container, { spec, volumes }, at)];
    const [image, name, target] = [
      textAt(container, 'image'),
      textAt(container, 'name'),
      textAt(container, 'targetContainerName'),
    ];
    if (image.trim() !== image)
      errors.push(invalidValue(child(at, 'image'), image, 'must not have leading or trailing whitespace'));
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name));
    names.add(name);
    if (target !== '' && !others.has(target)) errors.push(notFoundValue(child(at, 'targetContainerName'), target));
    return [...errors, ...forbiddenErrors(container, at)];
  });
}

function forbiddenErrors(container: JsonObject, path: string): readonly FieldError[] {
  // Empty resources count as not set.
  const given = FORBIDDEN_FIELDS.filter((field) =>
    field === 'resources' ? countAt(container, field) > 0 : has(container, field),
  );
  const mounts = each(container, 'volumeMounts', path, (mount, at) =>
    ['subPath', 'subPathExpr']
      .filter((field) => isNotEmpty(mount, field))
      .map((field) => forbiddenField(child(at, field), CANNOT)),
  );
  return [...given.map((field) => forbiddenField(child(path, field), CANNOT)), ...mounts];
}

function isNotEmpty(mount: JsonObject, field: string): boolean {
  return isObject(mount) && (own(mount, field) ?? '') !== '';
}
