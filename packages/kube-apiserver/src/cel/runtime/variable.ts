import { EvaluationError } from './error.js';
import { List, Opaque, Optional, TypeValue, ValueMap, type Value } from './value.js';

/**
 * A value as a variable or a conditional hands it on. The real server unwraps optionals there, as far as they go, and wraps up
 * what Go makes of their content: objects and lists lose their schema, types become texts, and values of its libraries are lost.
 * Throws EvaluationError.
 */
export function rewrapOptional(value: Value): Value {
  if (!(value instanceof Optional) || value.value === undefined) return value;
  const content = goContent(value.value);
  return content === value.value ? value : new Optional(content);
}

function goContent(value: Value): Value {
  if (value instanceof Optional) return value.value === undefined ? null : goContent(value.value);
  if (value instanceof TypeValue) return value.type.name;
  if (value instanceof List || value instanceof ValueMap) return value.withoutSchema?.() ?? value;
  if (value instanceof Opaque && value.goText !== undefined)
    throw new EvaluationError(`unsupported conversion to ref.Val: ${value.goText}`);
  return value;
}
