import { isRecord } from '../../../src/runtime/vocabulary/json.js';

/**
 * A CustomResourceDefinition whose rules and their messages have twice the estimated cost: `&&` and `+` cost as much as both
 * of their sides. An API server that accepts it estimates at most half of what it accepts for each rule of the original, and
 * for all of them.
 */
export function doubled<T>(definition: T): T;
export function doubled(definition: unknown): unknown {
  if (Array.isArray(definition)) return definition.map((one: unknown) => doubled(one));
  if (!isRecord(definition)) return definition;
  return Object.fromEntries(
    Object.entries(definition).map(([key, value]) => [
      key,
      key === 'x-kubernetes-validations' && Array.isArray(value) ? value.map(doubledRule) : doubled(value),
    ]),
  );
}

function doubledRule(rule: unknown): unknown {
  if (!isRecord(rule)) return rule;
  const { rule: expression, messageExpression } = rule;
  const message = messageExpression === undefined ? {} : { messageExpression: twice(messageExpression, '+') };
  return { ...rule, rule: twice(expression, '&&'), ...message };
}

function twice(expression: unknown, operator: string): string {
  return `(${String(expression)}) ${operator} (${String(expression)})`;
}
