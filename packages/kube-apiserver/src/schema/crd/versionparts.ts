import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { child, forbiddenField, index, invalidRaw, invalidValue } from '@multicluster-engine/values/schema/field';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { validateDefaults, type CheckDefault } from './defaults.js';
import { fieldsOfSchema, schemaText } from './goform.js';
import { validateKeywords, type CheckRules } from './keywords.js';
import { fieldAt, isTrue, type RawSchema } from './rawschema.js';
import type { VersionParts } from './spec.js';
import { unsupportedKeyword, validateStructural } from './structural.js';
import { checkColumn, checkSelectableFields, checkSubresources } from './fields.js';

/** The checks of CEL rules, which the cel folder implements. */
export interface RuleChecks {
  readonly checkRules: CheckRules;
  /** @param schemaErrors errors of the schema: rules at or above an invalid node are not compiled. */
  readonly compileRules: (
    schema: Schema,
    path: string,
    options: { readonly schemaErrors: readonly FieldError[]; readonly ignoreCosts: boolean },
  ) => readonly FieldError[];
  readonly checkDefault: CheckDefault;
}

/** The context of the fields of a version, or of those that all versions share. */
export interface PartsContext {
  readonly path: string;
  readonly schemaPath: string;
  readonly status: boolean;
  /**
   * Whether an update leaves the schema and the selectable fields unchanged: limits are not enforced on unchanged ones.
   */
  readonly sameSchema: boolean;
  readonly sameSelectable: boolean;
}

/** Validates the fields of a version. */
export function checkParts(parts: VersionParts, context: PartsContext, rules: RuleChecks): FieldError[] {
  const { path, schemaPath } = context;
  const { schema } = parts;
  const errors = schema === undefined ? [] : checkSchema(schema, child(schemaPath, 'openAPIV3Schema'), context, rules);
  errors.push(...checkSubresources(parts.subresources, child(path, 'subresources')));
  for (const [position, column] of parts.columns.entries())
    errors.push(...checkColumn(column, index(child(path, 'additionalPrinterColumns'), position)));
  if (parts.selectable.length === 0 || (schema !== undefined && unsupportedKeyword(schema) !== undefined))
    return errors;
  const field = child(path, 'selectableFields');
  if (schema === undefined)
    return [
      ...errors,
      invalidValue(
        field,
        '',
        context.path === 'spec'
          ? 'may only be set when validations.schema is included'
          : 'may only be set when `version.schema.openAPIV3Schema` is not included',
      ),
    ];
  const limit = { anyNumber: context.sameSelectable };
  return [...errors, ...checkSelectableFields(parts.selectable, schema, field, limit)];
}

const ALLOWED_AT_ROOT = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

function checkSchema(
  schema: RawSchema,
  path: string,
  { status, sameSchema }: PartsContext,
  rules: RuleChecks,
): FieldError[] {
  const errors = status ? checkRoot(schema, path) : [];
  if (isTrue(schema, 'nullable'))
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  const broken = unsupportedKeyword(schema);
  const structural = broken === undefined ? validateStructural(schema, path) : [];
  const defaults =
    broken === undefined && structural.length === 0 ? validateDefaults(schema, path, rules.checkDefault) : [];
  const keywords = validateKeywords(schema, path, rules.checkRules);
  errors.push(...structural, ...defaults, ...keywords);
  if (broken !== undefined) return errors.length > 0 ? errors : [invalidValue(path, '', broken)];
  if (structural.length > 0 || defaults.length > 0) return errors;
  return [...errors, ...rules.compileRules(schema, path, { schemaErrors: keywords, ignoreCosts: sameSchema })];
}

/**
 * With a status subresource, the schema of the status is extracted from the root schema, so only a fixed set of
 * keywords is allowed at the root.
 */
function checkRoot(schema: RawSchema, path: string): FieldError[] {
  for (const name of fieldsOfSchema(schema)) {
    const type = fieldAt(schema, 'type');
    if (name === 'Type' && type !== 'object') {
      return [
        invalidValue(
          `${path}.type`,
          type,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    }
    if (ALLOWED_AT_ROOT.includes(name)) continue;
    return [
      invalidRaw(
        path,
        schemaText(schema),
        `only [${ALLOWED_AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
      ),
    ];
  }
  return [];
}
