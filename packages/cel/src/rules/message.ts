import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import { duplicate, forbiddenField, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { goQuote } from '@multicluster-engine/values/text';
import type { ValidationRule } from '@multicluster-engine/values/schema/schema';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { Budget, type Effort, CostExceeded, EvaluationError, type Variables } from '../index.js';
import type { CompiledRule } from './compile.js';

/** The longest message of a messageExpression in bytes. */
const MAX_MESSAGE = 5 * 1024;

/** The text of a rule in messages. */
export function ruleText({ rule, message = '' }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

/** The message of a failed rule. */
export interface Message {
  readonly text: string;
  readonly spent: number;
  /** Replaces the message when the cost budget is exhausted: no further rules run. */
  readonly fatal: string | undefined;
}

/** The remaining budget for a message. */
export interface RemainingBudget {
  readonly left: number;
  readonly effort: Effort;
}

/**
 * Evaluates messageExpression. Without one, or if its result is not displayable, the message or the rule itself is
 * used.
 */
export function evaluateMessage(rule: CompiledRule, variables: Variables, { left, effort }: RemainingBudget): Message {
  const { message = '' } = rule.rule;
  const plain = message === '' ? `failed rule: ${ruleText(rule.rule)}` : message.trim();
  if (rule.message === undefined) return { text: plain, spent: 0, fatal: undefined };
  const budget = new Budget(effort);
  try {
    const text = displayableMessage(rule.message(variables, budget));
    return budget.spent > left
      ? outOfBudget(budget.spent)
      : { text: text ?? plain, spent: budget.spent, fatal: undefined };
  } catch (error) {
    if (budget.spent > left) return outOfBudget(budget.spent);
    if (error instanceof CostExceeded)
      return { text: plain, spent: budget.spent, fatal: tooCostly(rule.rule.messageExpression) };
    if (error instanceof EvaluationError) return { text: plain, spent: budget.spent, fatal: undefined };
    throw error;
  }
}

function outOfBudget(spent: number): Message {
  return {
    text: '',
    spent,
    fatal:
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
  };
}

function tooCostly(expression = ''): string {
  return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(expression)}`;
}

/** The trimmed text if it is displayable: not empty, one line, not too long. Undefined for other values. */
export function displayableMessage(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE ? undefined : text;
}

/** The error of a failed rule. Objects and lists are not included. */
export function ruleError({ reason }: ValidationRule, field: string, value: Json, detail: string): FieldError {
  const hidden = isArray(value) || isObject(value);
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return hidden ? { reason, field, message: 'Duplicate value' } : duplicate(field, value);
    default:
      return hidden
        ? { reason: 'FieldValueInvalid', field, message: `Invalid value: ${detail}` }
        : invalidValue(field, value, detail);
  }
}
