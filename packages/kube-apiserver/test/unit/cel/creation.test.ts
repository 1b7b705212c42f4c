import { describe, expect, it } from '@jest/globals';

import { checkRules, compileRules } from '@multicluster-engine/cel/rules';
import { escapeName, unescapeName } from '@multicluster-engine/cel/rules/escape';
import { invalidValue } from '@multicluster-engine/values/schema/field';
import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';

const TEXT: Schema = { type: 'string', maxLength: 5 };

function checked(
  rule: Partial<ValidationRule>,
  schema: Schema = { type: 'object', properties: { a: TEXT } },
): string[] {
  return checkRules({ ...schema, 'x-kubernetes-validations': [{ rule: 'true', ...rule }] }, 's').map(
    ({ reason, field, message }) => `${reason}|${field.replace('s.x-kubernetes-validations', '')}|${message}`,
  );
}

describe('fields of rules', () => {
  it.each([
    [{ rule: ' ' }, ['FieldValueRequired|[0].rule|Required value: rule is not specified']],
    [{ message: ' ' }, ['FieldValueInvalid|[0].message|Invalid value: " ": must be non-empty if specified']],
    [{ message: 'a\nb' }, ['FieldValueInvalid|[0].message|Invalid value: "a\\nb": must not contain line breaks']],
    [
      { rule: 'true\n&& true' },
      ['FieldValueRequired|[0].message|Required value: message must be specified if rule contains line breaks'],
    ],
    [{ rule: 'true\n&& true', message: 'm' }, []],
    [
      { messageExpression: ' ' },
      ['FieldValueRequired|[0].messageExpression|Required value: messageExpression must be non-empty if specified'],
    ],
    [
      { reason: 'Bad' },
      [
        'FieldValueNotSupported|[0].reason|Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
    ],
    [{ fieldPath: '.a' }, []],
    [{ fieldPath: '.b' }, ['FieldValueInvalid|[0].fieldPath|Invalid value: ".b": must be a valid path']],
    [
      { fieldPath: 'a\n' },
      [
        'FieldValueInvalid|[0].fieldPath|Invalid value: "a\\n": must not contain line breaks',
        'FieldValueInvalid|[0].fieldPath|Invalid value: "a\\n": must be a valid path',
      ],
    ],
  ])('the fields of the rule %j are checked as in kube-apiserver', (rule, expected) => {
    expect(checked(rule)).toEqual(expected);
  });
});

describe('compilation of rules', () => {
  const problems = (schema: Schema): string[] =>
    compileRules(schema, 's').map(({ field, message }) => `${field}|${message}`);
  const rules = (...list: ValidationRule[]): Partial<Schema> => ({ 'x-kubernetes-validations': list });

  it('a rule below an uncorrelatable list may not use oldSelf', () => {
    const item: Schema = { ...TEXT, ...rules({ rule: 'self == oldSelf' }) };
    const listOf = (type: 'map' | 'atomic'): Schema => ({
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': type,
      items: { type: 'object', properties: { k: item } },
    });
    expect(problems(listOf('atomic'))).toEqual([
      's.items.properties[k].x-kubernetes-validations[0].rule|Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s',
    ]);
    expect(problems({ ...listOf('map'), 'x-kubernetes-list-map-keys': ['k'] })).toEqual([]);
  });

  it('a rule may set optionalOldSelf only when it uses oldSelf', () => {
    expect(
      problems({ properties: { a: { ...TEXT, ...rules({ rule: 'self != ""', optionalOldSelf: true }) } } }),
    ).toEqual([
      's.properties[a].x-kubernetes-validations[0].optionalOldSelf|Invalid value: true: may not be set if oldSelf is not used in rule',
    ]);
  });

  it('a rule at an invalid schema node is not compiled', () => {
    const schema: Schema = { type: 'object', properties: { a: { ...TEXT, ...rules({ rule: 'nope' }) } } };
    const schemaErrors = [invalidValue('s.properties[a].maxLength', -1, 'must not be negative')];
    expect(compileRules(schema, 's', { schemaErrors })).toEqual([]);
    expect(compileRules(schema, 's')).toHaveLength(1);
  });

  it('a messageExpression must evaluate to a string', () => {
    const wrong = problems({
      ...TEXT,
      ...rules({ rule: 'true', messageExpression: '1' }, { rule: 'true', messageExpression: 'self +' }),
    });
    expect(wrong[0]).toMatch(
      /^s\.x-kubernetes-validations\[0\]\.messageExpression\|.*messageExpression must evaluate to a string$/,
    );
    expect(wrong[1]).toMatch(
      /^s\.x-kubernetes-validations\[1\]\.messageExpression\|.*messageExpression compilation failed: ERROR: <input>:1:7: Syntax error/,
    );
  });
});

describe('escaping of property names', () => {
  it.each([
    ['a', 'a'],
    ['a-b', 'a__dash__b'],
    ['a.b', 'a__dot__b'],
    ['a/b', 'a__slash__b'],
    ['a__b', 'a__underscores__b'],
    ['in', '__in__'],
    ['namespace', '__namespace__'],
    ['int', 'int'],
    ['x-kubernetes', 'x__dash__kubernetes'],
    ['1a', undefined],
    ['a b', undefined],
    ['', undefined],
  ])('the property %s has the name %s in expressions', (name, escaped) => {
    expect(escapeName(name)).toBe(escaped);
    if (escaped !== undefined) expect(unescapeName(escaped)).toBe(name);
  });
});
