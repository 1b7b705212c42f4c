import { CostExceeded } from './error.js';

/** Cost of one evaluation that the real server allows: a rule, a messageExpression, an expression of a policy. */
const CALL_LIMIT = 1_000_000;

/** Steps that evaluations of one object get for what the cost model does not see: below a second. */
const EFFORT = 30_000_000;

/** What is left for steps of the matcher of patterns, comparisons of nested values, and copies of lists and texts. */
export interface Effort {
  left: number;
}

export function newEffort(): Effort {
  return { left: EFFORT };
}

/** Counts what an evaluation costs, in the units of the cost model of CEL, and ends it at the limit. */
export class Budget {
  spent = 0;
  /** Shared by the evaluations of one object. */
  readonly effort: Effort;

  constructor(effort: Effort = newEffort()) {
    this.effort = effort;
  }

  /** Throws CostExceeded. */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > CALL_LIMIT) throw new CostExceeded();
  }

  /** For work that costs less than it takes: a call on a long text or list, values that hold one value many times. Throws CostExceeded. */
  chargeSteps(steps: number): void {
    this.effort.left -= steps;
    if (this.effort.left < 0) throw new CostExceeded();
  }
}
