import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { validatePolicy } from '../../../src/admission/policy.js';
import { checkRules, compileRules, runRules } from '../../../src/cel/rules.js';
import type { Json } from '../../../src/json.js';
import type { Schema } from '../../../src/schema/schema.js';
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

/** Objects have keys of their own that prototypes have. */
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

/** Texts of all kinds: nonsense, tokens in a row, expressions that mean something, those with a piece gone or doubled. */
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

const settings = { numRuns: 1500 };

describe('whatever a rule, a schema and an object are,', () => {
  it('rules of a definition give findings', () => {
    fc.assert(
      fc.property(schema, fc.array(rule, { minLength: 1, maxLength: 2 }), (node, rules) => {
        const whole: Schema = { type: 'object', properties: { spec: withRules(node, rules) } };
        const schemaErrors = checkRules(whole.properties?.['spec'] ?? {}, 's.properties[spec]');
        for (const { field, message } of compileRules(whole, 's', { schemaErrors }))
          expect([typeof field, typeof message]).toEqual(['string', 'string']);
      }),
      settings,
    );
  });

  it('their evaluation gives findings, which are the same again', () => {
    fc.assert(
      fc.property(
        schema,
        fc.array(rule, { minLength: 1, maxLength: 2 }),
        json,
        fc.option(json, { nil: undefined }),
        (node, rules, value, old) => {
          const whole = withRules(node, rules);
          const first = runRules(whole, value, old, { path: 'spec' });
          expect(runRules(whole, value, old, { path: 'spec' })).toEqual(first);
          for (const { message } of first.errors) expect(typeof message).toBe('string');
        },
      ),
      settings,
    );
  });

  it('policies give findings', () => {
    fc.assert(
      fc.property(text, text, text, (expression, variable, message) => {
        const spec = {
          failurePolicy: 'Fail',
          matchConstraints: {},
          variables: [{ name: 'v', expression: variable }],
          validations: [{ expression, messageExpression: message }],
        };
        const found = validatePolicy(
          {
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingAdmissionPolicy',
            metadata: { name: 'p' },
            spec,
          },
          undefined,
        );
        for (const { field } of found) expect(typeof field).toBe('string');
      }),
      settings,
    );
  });
});
