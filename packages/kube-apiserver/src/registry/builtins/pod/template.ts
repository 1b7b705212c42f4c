import type { JsonObject } from '@multicluster-engine/values/json';
import { child, forbiddenField, notSupported } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { labelMap } from '../validation/checks.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { checkAnnotations, checkProfiles } from './security/annotations.js';
import { checkPodSpec } from './spec.js';

/** Validates the Pod template of a Deployment or ReplicaSet, whose Pods always restart. */
export function checkWorkloadTemplate(template: JsonObject, path: string): readonly FieldError[] {
  const spec = structAt(template, 'spec');
  const at = child(path, 'spec');
  const errors: FieldError[] = [...checkTemplate(template, path)];
  const restart = textAt(spec, 'restartPolicy');
  if (restart !== 'Always') errors.push(notSupported(child(at, 'restartPolicy'), restart, ['Always']));
  if (spec['activeDeadlineSeconds'] !== undefined)
    errors.push(
      forbiddenField(child(at, 'activeDeadlineSeconds'), 'activeDeadlineSeconds in ReplicaSet is not Supported'),
    );
  return errors;
}

/** Validates a Pod template. @param path the field that holds it */
export function checkTemplate(template: JsonObject, path: string): readonly FieldError[] {
  const metadata = structAt(template, 'metadata');
  const spec = structAt(template, 'spec');
  const at = child(path, 'spec');
  const errors: FieldError[] = [
    ...labelMap(structAt(metadata, 'labels'), child(path, 'labels')),
    ...checkAnnotations(template, child(path, 'annotations')),
    ...checkPodSpec(spec, at),
    ...checkProfiles(template, at),
  ];
  if (Array.isArray(spec['ephemeralContainers']) && spec['ephemeralContainers'].length > 0) {
    errors.push(forbiddenField(child(at, 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}
