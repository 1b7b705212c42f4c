import { CostExceeded } from './error.js';

/** The cost limit of one evaluation in the API server: a rule, a messageExpression, an expression of a policy. */
const CALL_LIMIT = 1_000_000;

/** The steps for work that the cost model does not cover, for all evaluations of one object: less than a second. */
const EFFORT = 30_000_000;

/** The remaining steps for pattern matching, comparisons of nested values, and copies of lists and strings. */
export interface Effort {
  left: number;
}

export function newEffort(): Effort {
  return { left: EFFORT };
}

/** Counts the cost of an evaluation in the units of the CEL cost model and ends it at the limit. */
export class Budget {
  spent = 0;
  /** Shared by the evaluations of one object. */
  readonly effort: Effort;

  readonly #limit: number;

  /** `limit`: the highest cost of the evaluation. */
  constructor(effort: Effort = newEffort(), limit = CALL_LIMIT) {
    this.effort = effort;
    this.#limit = limit;
  }

  /** Throws CostExceeded. */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.#limit) throw new CostExceeded();
  }

  /**
   * Charges work that the cost model undercounts: calls on long strings or lists, values that contain one value many
   * times.
   * @throws CostExceeded
   */
  chargeSteps(steps: number): void {
    this.effort.left -= steps;
    if (this.effort.left < 0) throw new CostExceeded();
  }
}
