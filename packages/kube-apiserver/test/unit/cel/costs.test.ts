import { describe, expect, it } from '@jest/globals';

import { compileRules } from '@multicluster-engine/cel/rules';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { costs } from './tables/costs.js';

describe('estimated costs of rules', () => {
  it.each(costs.map(([spec, tooCostly]) => [JSON.stringify(spec), spec, tooCostly] as const))(
    'the estimated costs of rules are those of kube-apiserver: %s',
    (_text, spec, tooCostly) => {
      const found = compileRules({ type: 'object', properties: { spec } }, 'schema');
      expect(
        found
          .filter(({ message }) => !message.includes('contributed'))
          .map(short)
          .sort(),
      ).toEqual(tooCostly);
    },
  );

  it('the error for the total cost of a schema names the most expensive rules', () => {
    const list = {
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.contains(self)' }] },
    } as const;
    const found = compileRules({ type: 'object', properties: { a: list, b: list } }, 'schema');
    expect(found.filter(({ message }) => message.includes('contributed')).map(({ field }) => field)).toEqual([
      'schema.properties[a].items.x-kubernetes-validations[0].rule',
      'schema.properties[b].items.x-kubernetes-validations[0].rule',
    ]);
    expect(found.at(-1)).toMatchObject({ field: 'schema', reason: 'FieldValueForbidden' });
  });

  it('cost limits of single rules are not enforced when an update keeps the schema', () => {
    const spec = costs.find(([, tooCostly]) => tooCostly.length > 0)?.[0] ?? {};
    const found = compileRules({ type: 'object', properties: { spec } }, 'schema', { ignoreCosts: true });
    expect(
      found
        .filter(({ field }) => field.endsWith('.rule') && !field.includes('contributed'))
        .filter(({ message }) => message.startsWith('Forbidden: estimated')),
    ).toEqual([]);
  });
});

function short({ field, message }: FieldError): string {
  const place = field
    .replace(/^schema(\.properties\[spec\])?/, '')
    .replace(/^$/, 'total')
    .replace('.x-kubernetes-validations', '');
  return `${place} ${/factor of (more than 100x|[\d.]+x)/.exec(message)?.[1] ?? message}`;
}
