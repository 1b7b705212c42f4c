import { describe, expect, it } from '@jest/globals';

import { compileRules, runRules } from '@multicluster-engine/cel/rules';
import type { Json } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { corners } from './tables/corners.js';
import { dynamic } from './tables/dynamic.js';
import { found } from './tables/found.js';
import { language } from './tables/language.js';
import { libraries } from './tables/libraries.js';

const TEXT: Schema = { type: 'string', maxLength: 20 };
const SHORT: Schema = { type: 'string', maxLength: 5 };
const INT: Schema = { type: 'integer' };
const PAIR: Schema = { type: 'object', required: ['k'], properties: { k: SHORT, v: INT } };

const data: Schema = {
  type: 'object',
  properties: {
    n: INT,
    big: INT,
    s: TEXT,
    u: TEXT,
    d: { type: 'number' },
    b: { type: 'boolean' },
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
    ints: { type: 'array', maxItems: 5, items: INT },
    is: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
    ii: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
    m: { type: 'object', maxProperties: 3, additionalProperties: INT },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 5, items: SHORT },
    lm: {
      type: 'array',
      maxItems: 4,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: PAIR,
    },
    o: { type: 'object', properties: { a: INT, 'x-y': SHORT, nul: { ...SHORT, nullable: true }, namespace: SHORT } },
    dur: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    by: { type: 'string', format: 'byte', maxLength: 20 },
    pu: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const value: Json = {
  n: 7,
  big: 9007199254740991,
  s: 'Hello World',
  u: 'añb😀c',
  d: 2.5,
  b: true,
  l: ['a', 'b', 'c'],
  ints: [3, 1, 2],
  is: '50%',
  ii: 5,
  m: { x: 1, 'a.b/c': 2 },
  set: ['p', 'q'],
  lm: [
    { k: 'one', v: 1 },
    { k: 'two', v: 2 },
  ],
  o: { a: 1, 'x-y': 'dash', nul: null, namespace: 'ns' },
  dur: '1h30m',
  ts: '2024-02-29T12:34:56.789Z',
  day: '2024-02-29',
  by: 'aGVsbG8=',
  pu: { zz: 1 },
};

/** The result of an expression, formatted by a messageExpression, or its evaluation error after `! `. */
function outcome(expression: string): string {
  const schema: Schema = {
    ...data,
    'x-kubernetes-validations': [
      { rule: 'false', message: 'fallback', messageExpression: `'%s'.format([${expression}])` },
      { rule: `[dyn(${expression})].size() == 1`, message: 'neq' },
    ],
  };
  const refused = compileRules(schema, 'schema').filter(({ message }) => !message.includes('exceeds budget'));
  if (refused.length > 0) return refused.map(({ message }) => message).join('\n');
  const { errors } = runRules(schema, value, undefined, { path: 'spec' });
  const failed = errors[1]?.message
    .replace(/^Invalid value: ("object": )?/, '')
    .replace(/ evaluating rule: .*$/s, '')
    .replace(/: call arguments did not match.*$/s, '');
  if (failed !== undefined) return `! ${failed.replace(/^'(no such overload.*)'$/, '$1')}`;
  return errors[0]?.message.replace(/^Invalid value: /, '') ?? 'no error';
}

describe('values of expressions', () => {
  it.each(language)('an expression of the language has the value of kube-apiserver: %s', (expression, expected) => {
    expect(outcome(expression)).toBe(expected);
  });

  it.each(corners)('an expression for an edge case has the value of kube-apiserver: %s', (expression, expected) => {
    expect(outcome(expression)).toBe(expected);
  });

  it.each(dynamic)('an expression with dynamic types has the value of kube-apiserver: %s', (expression, expected) => {
    expect(outcome(expression)).toBe(expected);
  });

  it.each(found)('an expression that once differed has the value of kube-apiserver: %s', (expression, expected) => {
    expect(outcome(expression)).toBe(expected);
  });

  it.each(libraries)(
    'an expression with library functions has the value of kube-apiserver: %s',
    (expression, expected) => {
      expect(outcome(expression)).toBe(expected);
    },
  );
});
