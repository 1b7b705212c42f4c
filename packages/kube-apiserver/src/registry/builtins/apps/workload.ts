import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { child, invalidRaw, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { dns1123Label } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { has, immutable } from '../validation/checks.js';
import { numberAt, structAt } from '@multicluster-engine/values/fields';
import { goSelectorJson } from '../validation/gostruct.js';
import { emptyMapsOf } from '../kind.js';
import { dropDisabledFields } from '../pod/features.js';
import { checkWorkloadTemplate } from '../pod/template.js';
import { templateWarnings } from '../pod/warnings/template.js';
import { checkSelector, isUsableSelector, matchesSelector } from '../validation/labelselector.js';

/** Drops the fields of disabled features from the Pod template of a Deployment or ReplicaSet. */
export function withoutDisabledFields(workload: KubeObject): KubeObject {
  const spec = structAt(workload, 'spec');
  const template = structAt(spec, 'template');
  const kept = dropDisabledFields(template);
  return kept === template ? workload : { ...workload, spec: { ...spec, template: kept } };
}

/** Warnings of a new or changed spec; those of the name only for a new object. */
export function workloadWarnings(workload: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (old !== undefined && old.metadata.generation === workload.metadata.generation) return [];
  const names = old === undefined ? nameWarnings(workload.metadata.name ?? '') : [];
  return [...names, ...templateWarnings(structAt(structAt(workload, 'spec'), 'template'), 'spec.template')];
}

/** Pods are named after the workload, and a Pod name with dots is no valid hostname. */
function nameWarnings(name: string): readonly string[] {
  const problems = dns1123Label(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Errors print `{}` where the request set empty labels, and null where it set none. */
export const TEMPLATE_LABELS = 'spec.template.metadata.labels';

/** Validates the selector, and the template, whose labels the selector has to match. */
export function selectorErrors(workload: KubeObject): readonly FieldError[] {
  const spec = structAt(workload, 'spec');
  const template = structAt(spec, 'template');
  const labels =
    own(structAt(template, 'metadata'), 'labels') ?? (emptyMapsOf(workload).includes(TEMPLATE_LABELS) ? {} : null);
  const mismatch = (): FieldError =>
    invalidValue(TEMPLATE_LABELS, labels, '`selector` does not match template `labels`');
  if (!has(spec, 'selector'))
    return [required('spec.selector'), mismatch(), ...checkWorkloadTemplate(template, 'spec.template')];
  const selector = structAt(spec, 'selector');
  const shown = goSelectorJson(selector);
  const errors: FieldError[] = [...checkSelector(selector, 'spec.selector')];
  const empty = shown === '{}';
  if (empty) errors.push(invalidRaw('spec.selector', shown, 'empty selector is invalid for deployment'));
  if (!isUsableSelector(selector)) return [...errors, invalidRaw('spec.selector', shown, 'invalid label selector')];
  if (!empty && !matchesSelector(selector, structAt(structAt(template, 'metadata'), 'labels'))) errors.push(mismatch());
  return [...errors, ...checkWorkloadTemplate(template, 'spec.template')];
}

/** The error of a changed selector, which is immutable. */
export function selectorChange(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const selector = own(structAt(next, 'spec'), 'selector');
  const changed = immutable(selector, own(structAt(old, 'spec'), 'selector'), 'spec.selector').length > 0;
  return changed ? [invalidRaw('spec.selector', goSelectorJson(selector), 'field is immutable')] : [];
}

/**
 * Compares the counts of a status with each other.
 * @param parts counts that are at most `replicas`, in the order of their errors
 */
export function replicaCountErrors(status: JsonObject, parts: readonly string[]): readonly FieldError[] {
  const all = numberAt(status, 'replicas');
  const available = numberAt(status, 'availableReplicas');
  const errors: FieldError[] = parts
    .filter((field) => numberAt(status, field) > all)
    .map((field) =>
      invalidValue(child('status', field), numberAt(status, field), 'cannot be greater than status.replicas'),
    );
  return available > numberAt(status, 'readyReplicas')
    ? [...errors, invalidValue('status.availableReplicas', available, 'cannot be greater than readyReplicas')]
    : errors;
}
