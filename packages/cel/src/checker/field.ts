import { DYN, ERROR, parameterOf, unwrapOptional, type CelType } from '../language/celtype.js';
import type { Checker } from './checker.js';

/** The type of a field of a value; optional operands are unwrapped. Reports an unknown field. */
export function fieldType(checker: Checker, operand: CelType, field: string, at: number): CelType {
  const type = unwrapOptional(checker.resolve(operand));
  switch (type.kind) {
    case 'map':
      return parameterOf(type, 1);
    case 'struct':
      return structField(checker, type, field, at);
    case 'param':
      checker.assign([DYN], [type]);
      return DYN;
    case 'dyn':
    case 'error':
      return DYN;
    default:
      checker.report(at, `type '${type.text}' does not support field selection`);
      return DYN;
  }
}

function structField(checker: Checker, type: CelType, field: string, at: number): CelType {
  const fields = checker.declarations.fields(type.name);
  const found = fields?.get(field);
  if (found !== undefined) return found;
  checker.report(
    at,
    fields === undefined ? `unexpected failed resolution of '${type.name}'` : `undefined field '${field}'`,
  );
  return ERROR;
}
