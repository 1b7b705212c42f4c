import { EvaluationError } from '../language/error.js';
import { List, Opaque, Optional, TypeValue, ValueMap, type Value } from '../language/value.js';

/**
 * Converts an optional that a variable or a conditional returns. The API server unwraps nested optionals there and
 * wraps the native Go content again: objects and lists lose their schema, types become strings, values of its libraries
 * are errors.
 * @throws EvaluationError
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
