import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  firstUnmet,
  meets,
  parseLabelSelector,
  quote,
  parse,
  readRequirements,
  reject,
  valueOf,
} from '../../src/domain/selectors.js';
import type { Requirement } from '../../src/domain/selectors.js';

function requirement(operator: Requirement['operator'], values: readonly string[] = [], key = 'env'): Requirement {
  return { path: 'p', key, operator, values };
}

describe('meets', () => {
  it.each([
    { rule: 'In holds for a listed value', is: requirement('In', ['dev', 'prod']), on: { env: 'prod' }, held: true },
    { rule: 'In fails for another value', is: requirement('In', ['dev']), on: { env: 'prod' }, held: false },
    { rule: 'In fails for a missing key', is: requirement('In', ['dev']), on: {}, held: false },
    { rule: 'NotIn holds for another value', is: requirement('NotIn', ['dev']), on: { env: 'prod' }, held: true },
    { rule: 'NotIn fails for a listed value', is: requirement('NotIn', ['dev']), on: { env: 'dev' }, held: false },
    { rule: 'NotIn holds for a missing key', is: requirement('NotIn', ['dev']), on: {}, held: true },
    { rule: 'Exists holds for an empty value', is: requirement('Exists'), on: { env: '' }, held: true },
    { rule: 'Exists fails for a missing key', is: requirement('Exists'), on: {}, held: false },
    { rule: 'DoesNotExist fails for an empty value', is: requirement('DoesNotExist'), on: { env: '' }, held: false },
    { rule: 'DoesNotExist holds for a missing key', is: requirement('DoesNotExist'), on: {}, held: true },
  ])('requirement: $rule', ({ is, on, held }) => {
    expect(meets(is, on)).toBe(held);
  });

  it.each(['toString', 'hasOwnProperty', 'constructor', '__proto__', 'valueOf'])(
    'a requirement does not find %s, which an object inherits',
    (key) => {
      expect(valueOf({}, key)).toBeUndefined();
      expect(meets(requirement('Exists', [], key), {})).toBe(false);
      expect(meets(requirement('DoesNotExist', [], key), {})).toBe(true);
    },
  );

  it.each(['toString', 'hasOwnProperty', '__proto__'])('a requirement finds %s as an own key of an object', (key) => {
    const labels: Record<string, string> = Object.fromEntries([[key, 'mine']]);

    expect(meets(requirement('In', ['mine'], key), labels)).toBe(true);
  });

  it.each([
    ['another case', 'Prod', 'prod'],
    ['a prefix', 'pro', 'prod'],
    ['a trailing blank', 'prod ', 'prod'],
    ['another normal form', 'caf\u00e9', 'cafe\u0301'],
    ['a look-alike letter', 'pr\u043ed', 'prod'],
  ])('a requirement distinguishes %s', (_what, wanted, found) => {
    expect(meets(requirement('In', [wanted]), { env: found })).toBe(false);
  });
});

describe('firstUnmet', () => {
  it('firstUnmet returns the first of several requirements that are not met, and undefined when all are', () => {
    const list = [requirement('Exists'), requirement('In', ['dev']), requirement('NotIn', ['prod'])];

    expect(firstUnmet(list, { env: 'prod' })).toBe(list[1]);
    expect(firstUnmet(list, { env: 'dev' })).toBeUndefined();
    expect(firstUnmet([], {})).toBeUndefined();
  });
});

describe('readLabelSelector', () => {
  it.each([
    undefined,
    null,
    {},
    { matchLabels: {}, matchExpressions: [] },
    { matchLabels: null, matchExpressions: null },
  ])('a label selector %j has no requirements', (selector) => {
    expect(parseLabelSelector(selector, 'spec.s')).toEqual({ ok: true, value: [] });
  });

  it('a label selector is read as matchLabels in the order of their keys, then the expressions in their order', () => {
    const selector = {
      matchLabels: { zone: 'b', 'example.com/env': 'prod' },
      matchExpressions: [
        { key: 'tier', operator: 'NotIn', values: ['x', 'y'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    };

    expect(parseLabelSelector(selector, 's')).toEqual({
      ok: true,
      value: [
        { path: 's.matchLabels[example.com/env]', key: 'example.com/env', operator: 'In', values: ['prod'] },
        { path: 's.matchLabels[zone]', key: 'zone', operator: 'In', values: ['b'] },
        { path: 's.matchExpressions[0]', key: 'tier', operator: 'NotIn', values: ['x', 'y'] },
        { path: 's.matchExpressions[1]', key: 'old', operator: 'DoesNotExist', values: [] },
      ],
    });
  });

  const one = (expression: object): object => ({ matchExpressions: [expression] });
  it.each([
    { what: 'a list', selector: [], field: 's', says: '[] is not an object' },
    { what: 'a text', selector: 'env=prod', field: 's', says: '"env=prod" is not an object' },
    {
      what: 'labels that are a list',
      selector: { matchLabels: ['a'] },
      field: 's.matchLabels',
      says: 'is not an object',
    },
    {
      what: 'a label that is a number',
      selector: { matchLabels: { env: 1 } },
      field: 's.matchLabels[env]',
      says: '1 is not a string',
    },
    {
      what: 'a label value with a blank',
      selector: { matchLabels: { env: 'a b' } },
      field: 's.matchLabels[env]',
      says: '"a b" is not a label value',
    },
    {
      what: 'a label value of 64 letters',
      selector: { matchLabels: { env: 'x'.repeat(64) } },
      field: 's.matchLabels[env]',
      says: 'is not a label value',
    },
    {
      what: 'a label key with a blank',
      selector: { matchLabels: { 'e v': 'a' } },
      field: 's.matchLabels[e v]',
      says: '"e v" is not a label key',
    },
    {
      what: 'expressions that are an object',
      selector: { matchExpressions: {} },
      field: 's.matchExpressions',
      says: '{} is not a list',
    },
    {
      what: 'an expression that is a text',
      selector: { matchExpressions: ['a'] },
      field: 's.matchExpressions[0]',
      says: 'is not an object',
    },
    {
      what: 'an unknown operator',
      selector: one({ key: 'a', operator: 'Near' }),
      field: 's.matchExpressions[0].operator',
      says: '"Near" is not an operator: must be one of In, NotIn, Exists, DoesNotExist',
    },
    {
      what: 'an operator of another case',
      selector: one({ key: 'a', operator: 'in', values: ['x'] }),
      field: 's.matchExpressions[0].operator',
      says: '"in" is not',
    },
    {
      what: 'no operator',
      selector: one({ key: 'a' }),
      field: 's.matchExpressions[0].operator',
      says: 'is missing: must be one of In',
    },
    {
      what: 'no key',
      selector: one({ operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: 'is missing: a string is required',
    },
    {
      what: 'an empty key',
      selector: one({ key: '', operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: '"" is not a label key',
    },
    {
      what: 'a key with an empty prefix',
      selector: one({ key: '/a', operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: 'is not a label key',
    },
    {
      what: 'a key with a prefix in capitals',
      selector: one({ key: 'A.b/c', operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: 'is not a label key',
    },
    {
      what: 'a key with two slashes',
      selector: one({ key: 'a/b/c', operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: 'is not a label key',
    },
    {
      what: 'a key with a long prefix',
      selector: one({ key: `${'a'.repeat(254)}/b`, operator: 'Exists' }),
      field: 's.matchExpressions[0].key',
      says: 'is not a label key',
    },
    {
      what: 'In without values',
      selector: one({ key: 'a', operator: 'In' }),
      field: 's.matchExpressions[0].values',
      says: '[] must not be empty with operator In',
    },
    {
      what: 'NotIn with none',
      selector: one({ key: 'a', operator: 'NotIn', values: [] }),
      field: 's.matchExpressions[0].values',
      says: 'must not be empty with operator NotIn',
    },
    {
      what: 'Exists with values',
      selector: one({ key: 'a', operator: 'Exists', values: ['x', 'y'] }),
      field: 's.matchExpressions[0].values',
      says: 'must be empty with operator Exists',
    },
    {
      what: 'DoesNotExist with values',
      selector: one({ key: 'a', operator: 'DoesNotExist', values: ['x'] }),
      field: 's.matchExpressions[0].values',
      says: 'must be empty with operator DoesNotExist',
    },
    {
      what: 'values that are a text',
      selector: one({ key: 'a', operator: 'In', values: 'x' }),
      field: 's.matchExpressions[0].values',
      says: '"x" is not a list',
    },
    {
      what: 'a value that is null',
      selector: one({ key: 'a', operator: 'In', values: ['x', null] }),
      field: 's.matchExpressions[0].values[1]',
      says: 'null is not a string',
    },
    {
      what: 'a value that is no label value',
      selector: one({ key: 'a', operator: 'In', values: ['-x'] }),
      field: 's.matchExpressions[0].values[0]',
      says: '"-x" is not a label value',
    },
  ])('a label selector with $what is rejected', ({ selector, field, says }) => {
    const parsed = parseLabelSelector(selector, 's');

    expect(parsed).toEqual({ ok: false, problem: { field, message: expect.stringContaining(says) } });
  });

  it.each(['a', 'A-1_b.c', 'example.com/a', 'a-b.c0/x', 'x'.repeat(63)])(
    'a label selector with the key %s is accepted',
    (key) => {
      expect(parseLabelSelector(one({ key, operator: 'Exists' }), 's').ok).toBe(true);
    },
  );

  it('reading a label selector does not change it', () => {
    const selector = Object.freeze({
      matchLabels: Object.freeze({ b: '1', a: '2' }),
      matchExpressions: Object.freeze([]),
    });

    expect(parseLabelSelector(selector, 's').ok).toBe(true);
  });

  it('reading any value as a label selector returns requirements or a problem, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (selector) => {
        const parsed = parseLabelSelector(selector, 's');

        expect(parsed.ok ? parsed.value.length : parsed.problem.field.length).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('readRequirements', () => {
  it('a claim selector accepts free strings as values and keys', () => {
    const selector = {
      matchExpressions: [{ key: 'Cloud Provider', operator: 'In', values: ['Google Cloud', '', '日本', '../x'] }],
    };

    expect(readRequirements({ claimSelector: selector }, 'c').claims[0]?.values).toEqual([
      'Google Cloud',
      '',
      '日本',
      '../x',
    ]);
  });

  it('a claim selector rejects an empty key', () => {
    const selector = { matchExpressions: [{ key: '', operator: 'Exists' }] };
    const read = parse(() => readRequirements({ claimSelector: selector }, 'c'));

    expect(read).toEqual({
      ok: false,
      problem: { field: 'c.claimSelector.matchExpressions[0].key', message: 'is empty: the name of a claim is needed' },
    });
  });
});

describe('parse', () => {
  it('parse rethrows an error that is not a rejection', () => {
    const broken = (): never => {
      throw new TypeError('bug');
    };

    expect(() => parse(broken)).toThrow(TypeError);
  });

  it('parse returns the first rejection', () => {
    expect(parse(() => reject('a', 'b'))).toEqual({ ok: false, problem: { field: 'a', message: 'b' } });
  });

  it('parse cuts long values in messages, and never in a surrogate pair', () => {
    expect(quote('x'.repeat(500))).toHaveLength(81);
    expect(quote(`${'x'.repeat(78)}😀😀`)).toBe(`"${'x'.repeat(78)}…`);
  });
});
