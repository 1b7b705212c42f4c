import type { JsonObject } from '@multicluster-engine/values/json';
import { goJson } from '@multicluster-engine/values/text';
import type { AdmissionRequest } from '../admission.js';
import type { AuditAnnotation } from './evaluate.js';

/** Audit annotation of a failed validation. */
export const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';

/** A list, as the annotation's format allows several failures. */
export function failureAnnotation(failure: JsonObject): string {
  return `[{${Object.entries(failure)
    .map(([name, value]) => `${goJson(name)}:${goJson(value)}`)
    .join(',')}}]`;
}

const MAX_VALUE_BYTES = 10 * 1024;

/** Publishes the audit annotations of a policy: values that differ by binding or parameters are joined. */
export function publish(policy: string, annotations: readonly AuditAnnotation[], { annotate }: AdmissionRequest): void {
  if (annotate === undefined) return;
  const values = new Map<string, Set<string>>();
  for (const { key, value } of annotations) values.set(key, (values.get(key) ?? new Set()).add(shortened(value)));
  for (const [key, texts] of values) annotate(`${policy}/${key}`, [...texts].join(', '));
}

function shortened(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length > MAX_VALUE_BYTES ? bytes.subarray(0, MAX_VALUE_BYTES).toString('utf8') : text;
}
