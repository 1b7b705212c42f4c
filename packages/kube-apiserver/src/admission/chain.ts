import type { KubeObject } from '../object.js';
import type { Admission, AdmissionRequest } from './admission.js';

/** One check of the first half of admission: refuses by throwing, or gives the object as it is to go on. */
export interface Step {
  admit(request: AdmissionRequest, warn: (text: string) => void): KubeObject | undefined;
}

/** All of admission: `admit` runs before a kind's own checks of an object, `validate` after them. */
export interface AdmissionChain extends Admission, Step {}

export interface ChainParts {
  readonly first: readonly Step[];
  readonly last: readonly Admission[];
}

/** Runs the parts in order; each step gets the object that the one before it gave. */
export function createChain({ first, last }: ChainParts): AdmissionChain {
  return {
    admit(request, warn) {
      let object = request.object;
      for (const step of first) object = step.admit(object === request.object ? request : { ...request, object }, warn);
      return object;
    },
    validate(request, warn) {
      for (const admission of last) admission.validate(request, warn);
    },
  };
}

/** A step that only refuses. */
export function guard(check: Admission): Step {
  return {
    admit(request, warn) {
      check.validate(request, warn);
      return request.object;
    },
  };
}
