/** ValidatingAdmissionPolicies: enforcement, and validation of the kinds. */
export { createPolicyAdmission, type PolicyAdmission } from './policy/admission.js';
export { validateBinding } from './policy/bindingcheck.js';
export { validatePolicy } from './policy/policycheck.js';
