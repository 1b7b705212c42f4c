import type { FieldSet } from '../fieldpath/fieldset.js';
import { NO_FIELDS, recursiveDifference, setOf } from '../fieldpath/fieldset.js';
import type { FieldsResource } from '../resource.js';
import { subresourceOf } from '../../resource.js';

const SPEC = setOf(['f:spec']);
const STATUS = setOf(['f:status']);
const SPEC_AND_METADATA = setOf(['f:metadata'], ['f:spec']);
const SPEC_AND_LABELS = setOf(['f:metadata', 'f:labels'], ['f:spec']);

/** The fields that a write to a subresource of a built-in kind cannot change, where that is not just `spec`. */
const OF_SUBRESOURCES: Readonly<Record<string, FieldSet>> = {
  'Deployment.apps/status': SPEC_AND_LABELS,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io/status': SPEC_AND_METADATA,
  'Namespace./finalize': STATUS,
};

/**
 * The fields that a write resets to their old values, so that its manager does not become their owner: `status` for the
 * main resource when there is a status subresource, the rest of the object for `status`. These are the declarations of
 * the API server's strategies, which differ from their behavior in places.
 */
export function resetFields(resource: FieldsResource, subresource: string): FieldSet {
  if (subresource === '') return subresourceOf(resource, 'status') === undefined ? NO_FIELDS : STATUS;
  if (resource.custom) return subresource === 'status' ? SPEC_AND_METADATA : NO_FIELDS;
  const known = OF_SUBRESOURCES[`${resource.kind}.${resource.group}/${subresource}`];
  return known ?? (subresource === 'status' ? SPEC : NO_FIELDS);
}

export function withoutReset(set: FieldSet, reset: FieldSet): FieldSet {
  return recursiveDifference(set, reset);
}
