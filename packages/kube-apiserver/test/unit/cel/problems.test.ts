import { describe, expect, it } from '@jest/globals';

import { checkRules, compileRules } from '@multicluster-engine/cel/rules';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { problems } from './tables/problems.js';

const schema: Schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    s: { type: 'string', maxLength: 20 },
    d: { type: 'number' },
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
    is: { 'x-kubernetes-int-or-string': true },
    m: { type: 'object', maxProperties: 3, additionalProperties: { type: 'integer' } },
  },
};

function problemOf(rule: string): string {
  const spec: Schema = { ...schema, 'x-kubernetes-validations': [{ rule, message: 'm' }] };
  const root: Schema = { type: 'object', properties: { spec } };
  const schemaErrors = checkRules(spec, 'schema.properties[spec]');
  const found = [...schemaErrors, ...compileRules(root, 'schema', { schemaErrors })];
  return found
    .filter(({ field, message }) => field !== 'schema' && !message.includes('contributed'))
    .map(({ message }) => message.replace(/^Invalid value: \{.*?\}: /s, '').replaceAll(/selfType\d+/g, 'selfType1'))
    .join(' ## ');
}

describe('compile errors of rules', () => {
  it.each(problems)('the compile error of a rule is that of kube-apiserver: %s', (rule, expected) => {
    expect(problemOf(rule)).toBe(expected);
  });
});
