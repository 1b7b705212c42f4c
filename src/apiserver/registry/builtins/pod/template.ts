import type { JsonObject } from '../../../json.js';
import { child, forbiddenField, invalidValue, key, notSupported } from '../../../schema/field.js';
import { validateAnnotations } from '../../../schema/objectmeta.js';
import type { FieldError } from '../../../status.js';
import { labelMap } from '../checks.js';
import { structAt, textAt, textEntries } from '../fields.js';
import { checkPodSpec } from './spec.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Checks a template of pods that are to run for ever, as that of a Deployment. `labels` say whether its selector selects them. */
export function checkTemplate(template: JsonObject, path: string): readonly FieldError[] {
  const metadata = structAt(template, 'metadata');
  const spec = structAt(template, 'spec');
  const at = child(path, 'spec');
  const annotations = Object.fromEntries(textEntries(structAt(metadata, 'annotations')));
  const errors: FieldError[] = [
    ...labelMap(structAt(metadata, 'labels'), child(path, 'labels')),
    ...validateAnnotations(annotations, child(path, 'annotations')),
    ...costErrors(annotations[DELETION_COST], key(child(path, 'annotations'), DELETION_COST)),
    ...checkPodSpec(spec, at),
  ];
  if (Array.isArray(spec['ephemeralContainers']) && spec['ephemeralContainers'].length > 0) {
    errors.push(forbiddenField(child(at, 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  }
  const restart = textAt(spec, 'restartPolicy');
  if (restart !== 'Always') errors.push(notSupported(child(at, 'restartPolicy'), restart, ['Always']));
  if (spec['activeDeadlineSeconds'] !== undefined) errors.push(forbiddenField(child(at, 'activeDeadlineSeconds'), 'activeDeadlineSeconds in ReplicaSet is not Supported'));
  return errors;
}

function costErrors(cost: string | undefined, path: string): readonly FieldError[] {
  if (cost === undefined) return [];
  const valid = /^(0|-?[1-9]\d{0,9})$/.test(cost) && Math.abs(Number(cost)) <= 2 ** 31 - 1;
  return valid ? [] : [invalidValue(path, cost, 'must be a 32bit integer')];
}
