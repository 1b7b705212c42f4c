export { type Budget, TooManySteps } from './re2/pike.js';
export { newBudget, regexp } from './re2/re2.js';
export { PatternError } from './re2/syntax.js';
