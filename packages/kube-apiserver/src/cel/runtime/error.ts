/**
 * An evaluation that failed in a way that CEL knows: a missing key, an overflow, arguments that fit no function. `||`,
 * `&&`, `all` and `exists` may swallow it.
 */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** The real server breaks an evaluation off by a fault of its own. Nothing within the expression swallows it. */
export class InternalFault extends EvaluationError {}

/** The evaluation cost too much. Nothing swallows it. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
    this.name = 'CostExceeded';
  }
}

export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}
