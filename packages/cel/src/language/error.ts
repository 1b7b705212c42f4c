/**
 * An evaluation error of CEL: a missing key, an overflow, no matching overload. `||`, `&&`, `all` and `exists` may
 * ignore it.
 */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** An internal error of the API server's evaluator, which is reproduced. No operator ignores it. */
export class InternalFault extends EvaluationError {}

/** The evaluation exceeded its cost limit. No operator ignores it. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
    this.name = 'CostExceeded';
  }
}

export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}
