import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { goJson } from '@multicluster-engine/values/text';
import { fieldAt } from './rawschema.js';

/**
 * Encodes definitions and schemas as Go encodes the internal structs: every field, in declaration order, under its Go
 * name. Some messages of the API server contain these.
 */

type FieldForm =
  | 'text'
  | 'flag'
  | 'value'
  | 'schema'
  | 'schemas'
  | 'named'
  | 'schemaOrList'
  | 'schemaOrFlag'
  | 'rules'
  | 'docs';

const SCHEMA: readonly (readonly [string, string, FieldForm])[] = [
  ['ID', 'id', 'text'],
  ['Schema', '$schema', 'text'],
  ['Ref', '$ref', 'value'],
  ['Description', 'description', 'text'],
  ['Type', 'type', 'text'],
  ['Nullable', 'nullable', 'flag'],
  ['Format', 'format', 'text'],
  ['Title', 'title', 'text'],
  ['Default', 'default', 'value'],
  ['Maximum', 'maximum', 'value'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'flag'],
  ['Minimum', 'minimum', 'value'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'flag'],
  ['MaxLength', 'maxLength', 'value'],
  ['MinLength', 'minLength', 'value'],
  ['Pattern', 'pattern', 'text'],
  ['MaxItems', 'maxItems', 'value'],
  ['MinItems', 'minItems', 'value'],
  ['UniqueItems', 'uniqueItems', 'flag'],
  ['MultipleOf', 'multipleOf', 'value'],
  ['Enum', 'enum', 'value'],
  ['MaxProperties', 'maxProperties', 'value'],
  ['MinProperties', 'minProperties', 'value'],
  ['Required', 'required', 'value'],
  ['Items', 'items', 'schemaOrList'],
  ['AllOf', 'allOf', 'schemas'],
  ['OneOf', 'oneOf', 'schemas'],
  ['AnyOf', 'anyOf', 'schemas'],
  ['Not', 'not', 'schema'],
  ['Properties', 'properties', 'named'],
  ['AdditionalProperties', 'additionalProperties', 'schemaOrFlag'],
  ['PatternProperties', 'patternProperties', 'named'],
  ['Dependencies', 'dependencies', 'value'],
  ['AdditionalItems', 'additionalItems', 'schemaOrFlag'],
  ['Definitions', 'definitions', 'named'],
  ['ExternalDocs', 'externalDocs', 'docs'],
  ['Example', 'example', 'value'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'value'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'flag'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'flag'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'value'],
  ['XListType', 'x-kubernetes-list-type', 'value'],
  ['XMapType', 'x-kubernetes-map-type', 'value'],
  ['XValidations', 'x-kubernetes-validations', 'rules'],
];

/** The Go names of the fields that are set in a schema, in order. */
export function fieldsOfSchema(schema: JsonObject): string[] {
  return SCHEMA.filter(([, name]) => fieldAt(schema, name) !== undefined).map(([goName]) => goName);
}

export function schemaText(schema: JsonObject): string {
  return struct(SCHEMA.map(([goName, name, form]) => [goName, formText(fieldAt(schema, name), form)]));
}

export function versionsText(versions: readonly JsonObject[]): string {
  return list(versions, (version) => {
    const schema = fieldAt(version, 'schema');
    const inner = isObject(schema) ? fieldAt(schema, 'openAPIV3Schema') : undefined;
    return struct([
      ['Name', formText(fieldAt(version, 'name'), 'text')],
      ['Served', formText(fieldAt(version, 'served'), 'flag')],
      ['Storage', formText(fieldAt(version, 'storage'), 'flag')],
      ['Deprecated', formText(fieldAt(version, 'deprecated'), 'flag')],
      ['DeprecationWarning', goJson(fieldAt(version, 'deprecationWarning'))],
      ['Schema', schema === undefined ? 'null' : struct([['OpenAPIV3Schema', formText(inner, 'schema')]])],
      ['Subresources', subresourcesText(fieldAt(version, 'subresources'))],
      ['AdditionalPrinterColumns', nullOr(fieldAt(version, 'additionalPrinterColumns'), columnText)],
      [
        'SelectableFields',
        nullOr(fieldAt(version, 'selectableFields'), (field) =>
          struct([['JSONPath', goJson(fieldAt(field, 'jsonPath') ?? '')]]),
        ),
      ],
    ]);
  });
}

function formText(value: Json | undefined, form: FieldForm): string {
  switch (form) {
    case 'text':
      return goJson(value ?? '');
    case 'flag':
      return goJson(value ?? false);
    case 'value':
      return goJson(value);
    case 'schema':
      return isObject(value) ? schemaText(value) : 'null';
    case 'schemas':
      return nullOr(value, schemaText);
    case 'named':
      return isObject(value)
        ? struct(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, inner]) => [name, formText(inner, 'schema')]),
          )
        : 'null';
    case 'schemaOrList':
      return value === undefined
        ? 'null'
        : struct([
            ['Schema', formText(value, 'schema')],
            ['JSONSchemas', nullOr(value, schemaText)],
          ]);
    case 'schemaOrFlag':
      return value === undefined
        ? 'null'
        : struct([
            ['Allows', String(value !== false)],
            ['Schema', formText(value, 'schema')],
          ]);
    case 'rules':
      return nullOr(value, ruleText);
    case 'docs':
      return isObject(value)
        ? struct([
            ['Description', goJson(fieldAt(value, 'description') ?? '')],
            ['URL', goJson(fieldAt(value, 'url') ?? '')],
          ])
        : 'null';
  }
}

function ruleText(rule: JsonObject): string {
  const text = (name: string): string => goJson(fieldAt(rule, name) ?? '');
  return struct([
    ['Rule', text('rule')],
    ['Message', text('message')],
    ['MessageExpression', text('messageExpression')],
    ['Reason', goJson(fieldAt(rule, 'reason'))],
    ['FieldPath', text('fieldPath')],
    ['OptionalOldSelf', goJson(fieldAt(rule, 'optionalOldSelf'))],
  ]);
}

function columnText(column: JsonObject): string {
  const text = (name: string): string => goJson(fieldAt(column, name) ?? '');
  return struct([
    ['Name', text('name')],
    ['Type', text('type')],
    ['Format', text('format')],
    ['Description', text('description')],
    ['Priority', goJson(fieldAt(column, 'priority') ?? 0)],
    ['JSONPath', text('jsonPath')],
  ]);
}

function subresourcesText(value: Json | undefined): string {
  if (!isObject(value)) return 'null';
  const scale = fieldAt(value, 'scale');
  const path = (name: string): string => goJson(isObject(scale) ? (fieldAt(scale, name) ?? '') : '');
  const scaleText = isObject(scale)
    ? struct([
        ['SpecReplicasPath', path('specReplicasPath')],
        ['StatusReplicasPath', path('statusReplicasPath')],
        ['LabelSelectorPath', goJson(fieldAt(scale, 'labelSelectorPath'))],
      ])
    : 'null';
  return struct([
    ['Status', fieldAt(value, 'status') === undefined ? 'null' : '{}'],
    ['Scale', scaleText],
  ]);
}

function nullOr(value: Json | undefined, write: (item: JsonObject) => string): string {
  return isArray(value) ? list(value.filter(isObject), write) : 'null';
}

function list(items: readonly JsonObject[], write: (item: JsonObject) => string): string {
  return `[${items.map(write).join(',')}]`;
}

function struct(fields: readonly (readonly [string, string])[]): string {
  return `{${fields.map(([name, value]) => `${goJson(name)}:${value}`).join(',')}}`;
}
