export { compile } from './checker/check.js';
export { type Path, type Sizes, estimateCost } from './cost/estimate.js';
export { MAX_ESTIMATE } from './cost/range.js';
export { Budget, type Effort, newEffort } from './language/budget.js';
export {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  parameterOf,
  struct,
} from './language/celtype.js';
export { type Checked } from './language/checked.js';
export { type Declarations, type Functions, joinLibraries } from './language/declaration.js';
export { CostExceeded, EvaluationError, noSuchOverload } from './language/error.js';
export { CompileError } from './language/problem.js';
export { Library } from './language/signature.js';
export { parseDuration, parseMoment } from './language/time.js';
export { Duration, List, Opaque, Optional, type Value, ValueList, ValueMap } from './language/value.js';
export { baseFunctions } from './library/base.js';
export { textOf } from './library/operators.js';
export { programProblem } from './runtime/constants.js';
export { same } from './runtime/equality.js';
export { type Program, type Variables, program } from './runtime/evaluate.js';
export { jsonValue } from './runtime/jsonvalue.js';
