import { describe, expect, it } from '@jest/globals';

import { compileRules, runRules } from '@multicluster-engine/cel/rules';
import type { Json } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';

const TEXT: Schema = { type: 'string' };
const INTS: Schema = { type: 'array', items: { type: 'integer' } };
const MAP: Schema = { type: 'object', additionalProperties: { type: 'integer' } };
const SPEC: Schema = {
  type: 'object',
  properties: {
    s: TEXT,
    t: TEXT,
    n: INTS,
    m: MAP,
    pu: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

/** A pseudorandom text of the letters a and b. */
function withoutOrder(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state > 1_073_741_824 ? 'a' : 'b';
  }).join('');
}

const many = Array.from({ length: 50_000 }, (_, index) => index);
const large: Json = {
  s: 'a'.repeat(500_000),
  t: withoutOrder(500_000),
  n: many,
  m: Object.fromEntries(many.map((index) => [`k${index}`, index])),
  pu: { a: many },
};

function messagesOf(rule: string, value: Json = large): string[] {
  const schema: Schema = { ...SPEC, 'x-kubernetes-validations': [{ rule, message: 'm' }] };
  return runRules(schema, value, undefined, { path: 'spec' }).errors.map(({ message }) => message);
}

const ENDED = [
  `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`,
];

describe('run-time cost limits', () => {
  it.each([
    'self.n.all(x, self.n.all(y, x >= 0 && y >= 0))',
    'lists.range(1000000000).size() == 1',
    'self.n.map(x, lists.range(100)).size() > 0',
    'self.n.distinct().size() > 0',
    'sets.intersects(self.n, self.n)',
  ])('a rule that exceeds the cost limit ends with the error of kube-apiserver: %s', (rule) => {
    const [error = ''] = messagesOf(rule);
    expect(error).toMatch(/actual cost limit exceeded|running out of cost budget/);
  });

  it('no further rule runs after the cost limit was exceeded', () => {
    const costly = { rule: 'self.n.all(x, self.n.all(y, x >= 0 && y >= 0))', message: 'm' };
    const schema: Schema = {
      type: 'object',
      properties: {
        a: { ...SPEC, 'x-kubernetes-validations': [costly, { rule: 'false' }] },
        b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'false' }] },
      },
    };
    expect(
      runRules(schema, { a: large, b: 'x' }, undefined, { path: 'spec' }).errors.map(({ message }) => message),
    ).toEqual(ENDED);
  });

  it('the cost limit of an object counts all its rules', () => {
    const rule = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(x, lists.range(90000).size() > x)';
    const schema: Schema = {
      ...SPEC,
      'x-kubernetes-validations': Array.from({ length: 30 }, () => ({ rule, message: 'm' })),
    };
    expect(runRules(schema, large, undefined, { path: 'spec' }).errors.map(({ message }) => message)).toEqual([
      'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

/** The cost model counts these as cheap; in kube-apiserver they take minutes or exhaust the memory. */
describe('limits of work outside of the cost model', () => {
  const nested = (macro: string): string => macro.repeat(40);
  it.each([
    ['a list that doubles', `[self.n]${nested('.map(a, a + a)')}[0].size() > 0`],
    [
      'comparing nested lists that are one list many times',
      `[[1]]${nested('.map(a, [a, a])')} == [[1]]${nested('.map(a, [a, a])')}`,
    ],
    ['writing them', `'%s'.format([[[1]]${nested('.map(a, [a, a])')}]) == ''`],
    ['flattening them', `[[1]]${nested('.map(a, [a, a])')}.flatten(100) == []`],
    ['comparing whole lists again and again', '[self.n.map(y, y)].all(copy, self.n.all(x, [self.n] == [copy]))'],
    ['a text that becomes long', 'self.s.replace("a", self.s).size() > 1'],
    ['a text of long parts', 'self.s.split("").join(self.s).size() > 1'],
    ['reading a long text again and again', 'self.n.all(x, self.s.charAt(499999) == "a")'],
    ['counting the keys of a map again and again', 'self.n.all(x, self.m.size() > 1)'],
    ['a pattern with many states', 'self.t.matches("(a|b)*a(a|b){300}c")'],
  ])('work that the cost model does not count is limited: %s', (_title, rule) => {
    const before = process.cpuUsage();
    expect(messagesOf(rule)).toEqual(ENDED);
    const { user, system } = process.cpuUsage(before);
    // CPU time of this process in microseconds, which does not depend on other processes.
    expect(user + system).toBeLessThan(60_000_000);
  });

  it('nested macros of optionals are rejected as too complex', () => {
    const schema: Schema = {
      ...SPEC,
      'x-kubernetes-validations': [{ rule: `optional.of(1)${'.optMap(x, x)'.repeat(40)}.hasValue()` }],
    };
    expect(compileRules(schema, 'schema')[0]?.message).toMatch(
      /compilation failed: ERROR: <input>:-1:0: the expression is too complex$/,
    );
  });
});

describe('depth of expressions', () => {
  const problem = (rule: string): string | undefined =>
    compileRules({ ...SPEC, 'x-kubernetes-validations': [{ rule }] }, 'schema')[0]?.message.replace(
      /^.*?: ERROR/s,
      'ERROR',
    );
  const plus = (count: number): string => `${Array.from({ length: count }, () => '1').join(' + ')} > 0`;

  it.each([
    ['250 sums', plus(250), undefined],
    ['251 sums', plus(251), 'max recursion depth exceeded'],
    ['very many sums', plus(20_000), 'max recursion depth exceeded'],
    ['240 brackets', `${'('.repeat(240)}true${')'.repeat(240)}`, undefined],
    ['260 brackets', `${'('.repeat(260)}true${')'.repeat(260)}`, 'expression recursion limit exceeded: 250'],
    ['260 choices', `${'true ? true : '.repeat(260)}true`, 'expression recursion limit exceeded: 250'],
    ['260 selections', `dyn(self)${'.x'.repeat(260)} == 1`, 'max recursion depth exceeded'],
    ['240 selections', `dyn(self)${'.x'.repeat(240)} == 1`, undefined],
    ['1000 conjunctions', Array.from({ length: 1000 }, () => 'self.s != ""').join(' && '), undefined],
    [
      'too long',
      `self.s == "${'x'.repeat(100_000)}"`,
      'expression code point size exceeds limit: size: 100012, limit 100000',
    ],
  ])('the depth of an expression is limited as in kube-apiserver: %s', (_title, rule, expected) => {
    expect(problem(rule)).toBe(expected === undefined ? undefined : `ERROR: <input>:-1:0: ${expected}`);
    expect(messagesOf(rule, {}).length).toBeLessThan(2);
  });
});
