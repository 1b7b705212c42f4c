import { forbidden } from '../status.js';
import type { Admission } from './admission.js';

/** Refuses new objects of a kind whose CustomResourceDefinition is being deleted. */
export const definitionLifecycle: Admission = {
  validate(request) {
    if (request.operation !== 'CREATE' || request.resource.terminating !== true) return;
    throw forbidden(
      request.resource,
      request.name,
      'create not allowed while custom resource definition is terminating',
    );
  },
};
