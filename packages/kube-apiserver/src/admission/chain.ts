import type { KubeObject } from '@multicluster-engine/values/object';
import type { Admission, AdmissionRequest } from './admission.js';

/** A mutating admission step: throws to refuse, or returns the object for the next step. */
export interface Step {
  admit(request: AdmissionRequest, warn: (text: string) => void): KubeObject | undefined;
}

/** The admission chain: `admit` runs before a kind's own validation, `validate` after it. */
export interface AdmissionChain extends Admission, Step {}

export interface ChainParts {
  readonly first: readonly Step[];
  readonly last: readonly Admission[];
}

/** Runs the steps in order; each gets the object of the previous one. */
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

/** A step that only validates. */
export function guard(check: Admission): Step {
  return {
    admit(request, warn) {
      check.validate(request, warn);
      return request.object;
    },
  };
}
