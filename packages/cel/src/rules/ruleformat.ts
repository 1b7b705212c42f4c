import { invalidValue, notSupported, required } from '@multicluster-engine/values/schema/field';
import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { rulePath } from './fieldpath.js';

const REASONS = ['FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired', 'FieldValueDuplicate'];

/**
 * Checks the fields of the rules of one schema node: texts, reasons and paths. Expressions are not compiled.
 * @param path of the node
 * @param kind `structural`: whether the schema is structural, by default true; otherwise fieldPaths are not checked
 */
export function checkRules(
  schema: Schema,
  path: string,
  { structural = true }: { readonly structural?: boolean } = {},
): readonly FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.flatMap((rule, index) =>
    checkRule(rule, structural ? schema : undefined, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function checkRule(rule: ValidationRule, schema: Schema | undefined, path: string): FieldError[] {
  const { messageExpression = '', reason } = rule;
  const text = checkTexts(rule, path);
  const errors = text === undefined ? [] : [text];
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason))
    errors.push(notSupported(`${path}.reason`, reason, [...REASONS].sort()));
  return [...errors, ...checkPath(rule, schema, `${path}.fieldPath`)];
}

function checkTexts({ rule, message = '' }: ValidationRule, path: string): FieldError | undefined {
  const trimmed = message.trim();
  if (rule.trim() === '') return required(`${path}.rule`, 'rule is not specified');
  if (message !== '' && trimmed === '')
    return invalidValue(`${path}.message`, message, 'must be non-empty if specified');
  if (hasNewline(trimmed)) return invalidValue(`${path}.message`, message, 'must not contain line breaks');
  if (hasNewline(rule.trim()) && trimmed === '')
    return required(`${path}.message`, 'message must be specified if rule contains line breaks');
  return undefined;
}

function checkPath({ fieldPath = '' }: ValidationRule, schema: Schema | undefined, path: string): FieldError[] {
  if (fieldPath === '') return [];
  return [
    ...(fieldPath.trim() === '' ? [invalidValue(path, fieldPath, 'must be non-empty if specified')] : []),
    ...(hasNewline(fieldPath) ? [invalidValue(path, fieldPath, 'must not contain line breaks')] : []),
    ...(schema !== undefined && rulePath(fieldPath, schema) === undefined
      ? [invalidValue(path, fieldPath, 'must be a valid path')]
      : []),
  ];
}

function hasNewline(text: string): boolean {
  return /[\n\r]/.test(text);
}
