/** ValidatingAdmissionPolicies: enforcement, and the rules of the kinds themselves. */
export { createPolicyAdmission, type PolicyAdmission } from './policy/admission.js';
export { validateBinding } from './policy/bindingcheck.js';
export { validatePolicy } from './policy/check.js';
