import { forbidden } from '../status.js';
import type { Admission } from './admission.js';

/** Nothing new is made of a kind whose definition is being deleted. */
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
