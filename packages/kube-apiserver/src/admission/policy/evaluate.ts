import { Budget, CostExceeded, EvaluationError, type Variables, ValueMap, type Value } from '@multicluster-engine/cel';
import { displayableMessage } from '@multicluster-engine/cel/rules/message';
import type { Compiled, CompiledPolicy, CompiledValidation } from './compile.js';

/** Cost budgets per request: of all validations of a policy, and of its matchConditions. */
const POLICY_LIMIT = 10_000_000;
const CONDITIONS_LIMIT = 2_500_000;

/** A validation that failed, or could not be evaluated. */
export interface PolicyFailure {
  readonly message: string;
  readonly reason: string | undefined;
  /** Index of the validation. */
  readonly at?: number;
}

/** An audit annotation. */
export interface AuditAnnotation {
  readonly key: string;
  readonly value: string;
}

/** The result of a policy for a request. */
export interface PolicyResult {
  readonly failures: readonly PolicyFailure[];
  /** Errors of auditAnnotations: they deny the request whatever the binding's actions are. */
  readonly annotationErrors: readonly PolicyFailure[];
  readonly annotations: readonly AuditAnnotation[];
}

const NOTHING: PolicyResult = { failures: [], annotationErrors: [], annotations: [] };

/** Values of variables by name: `object`, `request`, `params`. */
export type Input = Readonly<Record<string, Value>>;

class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/**
 * Evaluates a policy for a request.
 * @param conditions input of matchConditions: they have no namespaceObject
 */
export function evaluatePolicy(policy: CompiledPolicy, input: Input, conditions: Input): PolicyResult {
  const failed = (message: string): PolicyResult =>
    policy.fails ? { ...NOTHING, failures: [{ message, reason: undefined }] } : NOTHING;
  try {
    const matches = matchConditions(policy, conditions);
    if (matches.kind === 'failed') return failed(matches.message);
    if (matches.kind === 'unmatched') return NOTHING;
    const session = new Session(policy, input, POLICY_LIMIT);
    const failures = policy.validations.flatMap((validation, at) => {
      const failure = session.validation(validation);
      return failure === undefined ? [] : [{ ...failure, at }];
    });
    return { failures, ...audited(policy, input) };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

type ConditionsResult =
  | { readonly kind: 'matched' }
  | { readonly kind: 'unmatched' }
  | { readonly kind: 'failed'; readonly message: string };

/** Evaluates all conditions; the result is failed where one failed and none is false. */
function matchConditions(policy: CompiledPolicy, input: Input): ConditionsResult {
  const session = new Session(policy, input, CONDITIONS_LIMIT);
  const problems: string[] = [];
  const results = policy.matchConditions.map(({ expression, compiled }) => session.run(expression, compiled));
  for (const result of results) {
    if (result === false) return { kind: 'unmatched' };
    if (result instanceof EvaluationError) problems.push(result.message);
  }
  if (problems.length === 0) return { kind: 'matched' };
  if (!policy.fails) return { kind: 'unmatched' };
  return { kind: 'failed', message: problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]` };
}

/** Annotations with a null or blank value are omitted. */
function audited(policy: CompiledPolicy, input: Input): Pick<PolicyResult, 'annotationErrors' | 'annotations'> {
  const session = new Session(policy, input, POLICY_LIMIT);
  const errors: PolicyFailure[] = [];
  const annotations: AuditAnnotation[] = [];
  for (const { key, expression, compiled } of policy.auditAnnotations) {
    const result = session.run(expression, compiled);
    if (result instanceof EvaluationError) errors.push({ message: result.message, reason: undefined });
    else if (typeof result === 'string' && result.trim() !== '') annotations.push({ key, value: result.trim() });
  }
  return { annotationErrors: policy.fails ? errors : [], annotations };
}

/** Evaluations that share variables and a cost budget. */
class Session {
  private readonly policy: CompiledPolicy;
  private readonly variables: Variables;
  private left: number;

  constructor(policy: CompiledPolicy, input: Input, limit: number) {
    this.policy = policy;
    this.left = limit;
    const composed = new ComposedVariables(policy.variables, (compiled) => this.compose(compiled));
    this.variables = (name) => (name === 'variables' ? composed : Object.hasOwn(input, name) ? input[name] : undefined);
  }

  /** The result of an expression; an error value where it cannot be evaluated. Throws OutOfBudget. */
  run(expression: string, compiled: Compiled): Value | EvaluationError {
    if ('problem' in compiled) return new EvaluationError(`compilation error: ${compiled.problem.text}`);
    try {
      return this.compose(compiled);
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof CostExceeded)
        return new EvaluationError(`expression '${expression}' resulted in error: ${error.message}`);
      throw error;
    }
  }

  validation(validation: CompiledValidation): PolicyFailure | undefined {
    const result = this.run(validation.expression, validation.compiled);
    if (result === true) return undefined;
    if (!(result instanceof EvaluationError))
      return { message: this.message(validation), reason: validation.reason ?? 'Invalid' };
    return this.policy.fails ? { message: result.message, reason: undefined } : undefined;
  }

  private message({ message, messageExpression, expression }: CompiledValidation): string {
    const result = messageExpression === undefined ? undefined : this.run('', messageExpression);
    const text = result instanceof EvaluationError ? undefined : displayableMessage(result);
    if (text !== undefined) return text;
    return message.trim() === '' ? `failed expression: ${expression.trim()}` : message.trim();
  }

  /** Runs a program and charges its cost to the budget. */
  private compose(compiled: Extract<Compiled, { program: unknown }>): Value {
    const budget = new Budget();
    try {
      return compiled.program(this.variables, budget);
    } finally {
      this.left -= budget.spent;
      if (this.left < 0) this.exhaust();
    }
  }

  private exhaust(): never {
    throw new OutOfBudget();
  }
}

/** `variables`: each is evaluated on first use and cached, errors included. */
class ComposedVariables extends ValueMap {
  private readonly compiled: ReadonlyMap<string, Compiled>;
  private readonly run: (compiled: Extract<Compiled, { program: unknown }>) => Value;
  private readonly known = new Map<string, Value | EvaluationError>();

  constructor(
    compiled: ReadonlyMap<string, Compiled>,
    run: (compiled: Extract<Compiled, { program: unknown }>) => Value,
  ) {
    super();
    this.compiled = compiled;
    this.run = run;
  }

  get size(): number {
    return this.compiled.size;
  }

  keys(): readonly string[] {
    return [...this.compiled.keys()];
  }

  find(key: Value): Value | undefined {
    const compiled = typeof key === 'string' ? this.compiled.get(key) : undefined;
    if (compiled === undefined || typeof key !== 'string') return undefined;
    const value = this.known.get(key) ?? this.evaluate(key, compiled);
    this.known.set(key, value);
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  private evaluate(name: string, compiled: Compiled): Value | EvaluationError {
    if ('problem' in compiled)
      return new EvaluationError(`composited variable "${name}" fails to compile: ${compiled.problem.text}`);
    try {
      return this.run(compiled);
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof CostExceeded)
        return new EvaluationError(`composited variable "${name}" fails to evaluate: ${error.message}`);
      throw error;
    }
  }
}
