import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { validatePolicy } from '../../../src/admission/policy.js';
import { checkRules, compileRules, runRules } from '@multicluster-engine/cel/rules';
import type { Json } from '@multicluster-engine/values/json';
import type { Schema, ValidationRule } from '@multicluster-engine/values/schema/schema';
import { corners } from './tables/corners.js';
import { dynamic } from './tables/dynamic.js';
import { language } from './tables/language.js';
import { libraries } from './tables/libraries.js';
import { problems } from './tables/problems.js';

const KEYS = ['a', 'b', 'n', 's', 'l', 'm', '__proto__', 'constructor', 'x-y', 'namespace'];
const key = fc.constantFrom(...KEYS);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('1h', '2024-01-01', '10Mi', '\ud800'),
);

const { json, schema } = fc.letrec<{ json: Json; schema: Schema }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    objectOf(tie('json')),
  ),
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
        format: fc.constantFrom('date-time', 'duration', 'byte', 'date', 'odd'),
        nullable: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ 'x-kubernetes-int-or-string': fc.constant(true) }),
    fc.record({
      type: fc.constant('object'),
      properties: objectOf(tie('schema')),
      'x-kubernetes-preserve-unknown-fields': fc.boolean(),
    }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      'x-kubernetes-list-type': fc.constantFrom('atomic', 'set', 'map'),
      'x-kubernetes-list-map-keys': fc.constant(['a']),
    }),
  ),
}));

/** Includes objects with own keys of the names of Object.prototype members. */
function objectOf<T>(entries: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.array(fc.tuple(key, entries), { maxLength: 4 }).map((list) => Object.fromEntries(list));
}

const known = [...language, ...corners, ...dynamic, ...libraries, ...problems].map(([expression]) => expression);
const TOKENS = [
  'self',
  'oldSelf',
  '.a',
  '.?a',
  '[0]',
  '[?0]',
  "['n']",
  '.all(x, x)',
  '.map(x, x)',
  '.exists(x, ',
  '.transformMap(k, v, ',
  'has(',
  'dyn(',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ':',
  ',',
  '?',
  ' == ',
  ' < ',
  ' in ',
  ' + ',
  ' - ',
  ' * ',
  ' / ',
  ' % ',
  ' && ',
  ' || ',
  '!',
  '-',
  '1',
  '1u',
  '1.5',
  "'a'",
  "b'a'",
  'null',
  'true',
  'x',
  '"',
  "'''",
  'r"',
  '\\',
  '\n',
  '//',
  '.size()',
  '.format([self])',
  '.matches(',
  'string(',
  'int(',
  'timestamp(',
  'duration(',
  'quantity(',
  'optional.of(',
  '.orValue(',
  '.optMap(x, ',
  'sets.contains(',
  'cidr(',
  '__result__',
  '\ud83d',
  'é',
  '`',
];

/** Random text, random tokens, valid expressions, and valid expressions with a part removed or duplicated. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 15 }).map((tokens) => tokens.join('')),
  fc.constantFrom(...known),
  fc
    .tuple(fc.constantFrom(...known), fc.nat(60), fc.nat(8))
    .map(([expression, from, count]) => expression.slice(0, from) + expression.slice(from + count)),
  fc
    .tuple(
      fc.constantFrom(...known),
      fc.constantFrom(...known),
      fc.constantFrom(' == ', ' && ', ' ? true : ', ' in ', '.map(x, ', ', '),
    )
    .map((parts) => `${parts[0]}${parts[2]}${parts[1]}`),
);

const rule = fc.record(
  {
    rule: text,
    message: text,
    messageExpression: text,
    fieldPath: fc.constantFrom('.a', "['n']", '.l[0]', ''),
    optionalOldSelf: fc.boolean(),
  },
  { requiredKeys: ['rule'] },
);

function withRules(node: Schema, rules: NonNullable<Schema['x-kubernetes-validations']>): Schema {
  const { items, properties, additionalProperties } = node;
  return {
    ...node,
    'x-kubernetes-validations': rules,
    ...(items === undefined ? {} : { items: withRules(items, rules) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, withRules(inner, rules)]),
          ),
        }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withRules(additionalProperties, rules) }
      : {}),
  };
}

const settings = { numRuns: 1000 };
const FIELDS = ['rule', 'message', 'messageExpression', 'fieldPath', 'optionalOldSelf'];
const POLICY_FIELDS = [
  'spec.variables[0].expression',
  'spec.validations[0].expression',
  'spec.validations[0].messageExpression',
];
const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' };
const CONSTRAINTS = { resourceRules: [PODS], matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

/** Paths of a schema and its subschemas, as errors name them. */
function pathsOf({ items, properties = {}, additionalProperties }: Schema, path: string): readonly string[] {
  return [
    path,
    ...Object.entries(properties).flatMap(([name, inner]) => pathsOf(inner, `${path}.properties[${name}]`)),
    ...(items === undefined ? [] : pathsOf(items, `${path}.items`)),
    ...(typeof additionalProperties === 'object' ? pathsOf(additionalProperties, `${path}.additionalProperties`) : []),
  ];
}

function compiled(node: Schema, rules: readonly ValidationRule[]) {
  const whole: Schema = { type: 'object', properties: { spec: withRules(node, [...rules]) } };
  const schemaErrors = checkRules(whole.properties?.['spec'] ?? {}, SPEC);
  return { schemaErrors, findings: compileRules(whole, 's', { schemaErrors }) };
}

const SPEC = 's.properties[spec]';
const BROKEN: ValidationRule = { rule: '(' };
const TRUE: ValidationRule = { rule: 'true', message: 'holds always' };
const FALSE: ValidationRule = { rule: 'false', message: 'holds never' };

describe('arbitrary rules, schemas and objects', () => {
  it('errors of a definition refer to paths of its schema, and an invalid rule is reported among others', () => {
    fc.assert(
      fc.property(schema, fc.array(rule, { minLength: 1, maxLength: 2 }), (node, rules) => {
        const { schemaErrors, findings } = compiled(node, rules);
        const more = compiled(node, [...rules, BROKEN]).findings;
        const lists = pathsOf(node, SPEC).map((path) => `${path}.x-kubernetes-validations`);
        const fields = [0, 1, 2].flatMap((index) => FIELDS.map((field) => `[${index}].${field}`));
        const places = new Set(['s', ...lists, ...lists.flatMap((list) => fields.map((field) => `${list}${field}`))]);
        const added = `.x-kubernetes-validations[${rules.length}].rule`;

        for (const { field, message } of more)
          expect([field, places.has(field), message]).toEqual([field, true, expect.stringMatching(/./)]);
        expect(more.filter(({ field }) => !field.endsWith(added))).toEqual(findings);
        // All rules of a schema without a CEL type are rejected with one error.
        const found = more.some(
          ({ field }) => field === `${SPEC}${added}` || field === `${SPEC}.x-kubernetes-validations`,
        );
        expect(found).toBe(schemaErrors.length === 0);
      }),
      settings,
    );
  });

  it('evaluation is repeatable, a rule that always holds adds no errors, and one that never holds adds some', () => {
    fc.assert(
      fc.property(
        schema,
        fc.array(rule, { minLength: 1, maxLength: 2 }),
        json,
        fc.option(json, { nil: undefined }),
        (node, rules, value, old) => {
          const run = (all: readonly ValidationRule[]) =>
            runRules(withRules(node, [...all]), value, old, { path: 'spec' });
          const whole = withRules(node, rules);
          const first = runRules(whole, value, old, { path: 'spec' });
          expect(runRules(whole, value, old, { path: 'spec' })).toEqual(first);
          expect(run([...rules, TRUE])).toEqual(first);
          const { errors, warnings } = run([FALSE, ...rules]);
          const reported = [...errors.map(({ field, message }) => `${field}: ${message}`), ...warnings].filter((one) =>
            one.includes('holds never'),
          );
          expect(reported.length > 0).toBe(value !== null);
        },
      ),
      settings,
    );
  });

  it('errors of a policy refer to its paths, and an invalid expression is reported among others', () => {
    fc.assert(
      fc.property(text, text, text, (expression, variable, message) => {
        const validations = [{ expression, messageExpression: message }];
        const find = (all: readonly Json[]) => {
          const spec: Json = {
            failurePolicy: 'Fail',
            matchConstraints: CONSTRAINTS,
            variables: [{ name: 'v', expression: variable }],
            validations: [...all],
          };
          return validatePolicy(
            {
              apiVersion: 'admissionregistration.k8s.io/v1',
              kind: 'ValidatingAdmissionPolicy',
              metadata: { name: 'p' },
              spec,
            },
            undefined,
          );
        };
        const findings = find(validations);
        const more = find([...validations, { expression: '(' }]);
        const added = 'spec.validations[1].expression';

        for (const { field, message: words } of findings)
          expect([field, POLICY_FIELDS.includes(field), words]).toEqual([field, true, expect.stringMatching(/./)]);
        expect(more.filter(({ field }) => field === added)).toHaveLength(1);
        expect(more.filter(({ field }) => field !== added)).toEqual(findings);
      }),
      settings,
    );
  });
});
