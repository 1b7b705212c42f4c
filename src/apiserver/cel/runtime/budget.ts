import { CostExceeded } from './error.js';

/** Cost of one evaluation that the real server allows: a rule, a messageExpression, an expression of a policy. */
export const CALL_LIMIT = 1_000_000;

/** Steps of the matcher of patterns that one evaluation gets: below a second. The cost model counts the length of a pattern, not what it stands for. */
const MATCHING = 20_000_000;

/** Counts what an evaluation costs, in the units of the cost model of CEL, and ends it at the limit. */
export class Budget {
  spent = 0;
  readonly matching = { left: MATCHING };

  private readonly limit: number;

  constructor(limit = CALL_LIMIT) {
    this.limit = limit;
  }

  /** Throws CostExceeded. */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw new CostExceeded();
  }
}
