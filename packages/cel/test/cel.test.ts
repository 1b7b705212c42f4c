import { describe, expect, it } from '@jest/globals';

import {
  baseFunctions,
  Budget,
  compile,
  CompileError,
  CostExceeded,
  DYN,
  EvaluationError,
  jsonValue,
  program,
} from '../src/index.js';
import type { Json } from '@multicluster-engine/values/json';

const declarations = { functions: baseFunctions(), variables: new Map([['self', DYN]]), fields: () => undefined };

/** The value of the expression for `self`. */
function valueOf(expression: string, self: Json): unknown {
  const run = program(compile(expression, declarations), declarations.functions);
  return run((name) => (name === 'self' ? jsonValue(self) : undefined), new Budget());
}

describe('an expression on a JSON value', () => {
  it.each<[string, Json, unknown]>([
    ['self.replicas <= 3', { replicas: 2 }, true],
    ['self.labels["region"] == "eu"', { labels: { region: 'us' } }, false],
    ['quantity(self.cpu).isGreaterThan(quantity("1500m"))', { cpu: '2' }, true],
    ['semver(self.version).compareTo(semver("1.30.0")) >= 0', { version: '1.29.4' }, false],
    ['self.claims.exists(c, c.name == "gpu" && int(c.value) > 4)', { claims: [{ name: 'gpu', value: '8' }] }, true],
    ['size(self.items) + 1', { items: [1, 2] }, 3n],
  ])('%s of %j is %p', (expression, self, expected) => {
    expect(valueOf(expression, self)).toBe(expected);
  });

  // The results of the API server: its type check takes what `orValue` returns for an int, or another type of the argument.
  it.each<[string, unknown]>([
    ['self.l[?0].orValue(0) < self.l[?1].orValue(0)', true],
    ['self.l[?0].orValue(0) <= 20', true],
    ['self.l[?0].orValue(0) > 20u', false],
    ['self.l[?0].orValue(0) + self.l[?0].orValue(0)', 39],
    ['-self.l[?0].orValue(0)', -19.5],
    ['self.l[?1].orValue(0) % 3', 2n],
    ["self.r[?'f'].orValue([]).size()", 1n],
    ["size(self.r[?'f'].orValue([]))", 1n],
    ["self.r[?'f'].orValue([]) + self.r[?'f'].orValue([])", 'xx'],
    ["self[?'l'].orValue({}).size()", 2n],
    ["self[?'l'].orValue({}).exists(k, k == 19.5)", true],
    ['self.l[?0].orValue(0) > 1 ? self.l[?0].orValue(0) : 5', 19.5],
    ['self.l[?0].orValue(true) || true', true],
  ])('%s is %p, whatever type the check has found', (expression, expected) => {
    expect(valueOf(expression, { l: [19.5, 20], r: { f: 'x' } })).toEqual(expected);
  });

  it.each<[string, string]>([
    ['self.l[?0].orValue(0) + 1', 'no such overload'],
    ["self.r[?'f'].orValue([]) + ['y']", 'no such overload'],
    ["self.r[?'f'].orValue({})['x']", 'no such key: x'],
    ["'x' in self.r[?'f'].orValue([])", 'no such overload'],
    ["!self.r[?'f'].orValue(true)", 'no such overload'],
    ["self.r[?'f'].orValue(0) < 1", 'no such overload'],
    ["self.l[?0].orValue('a').startsWith('x')", 'no such overload'],
    ['int(self.l[?0].orValue(0))', 'no such overload: int(double)'],
    ["self[?'l'].orValue(['a']).min()", 'no such overload: min(list)'],
    ['self.l[?0].orValue(true) && true', 'no such overload'],
  ])('%s has no value: %s', (expression, message) => {
    expect(() => valueOf(expression, { l: [19.5, 20], r: { f: 'x' } })).toThrow(new EvaluationError(message));
  });

  it('that names an undeclared variable does not compile', () => {
    expect(() => compile('managed.name == "a"', declarations)).toThrow(CompileError);
    expect(() => compile('managed.name == "a"', declarations)).toThrow(/undeclared reference to 'managed'/);
  });

  it('that reads a key which is not there has no value', () => {
    expect(() => valueOf('self.absent == 1', {})).toThrow(EvaluationError);
  });

  it('ends at the limit of its cost', () => {
    const list = Array.from({ length: 2_000 }, (_, index) => index);

    expect(() => valueOf('self.all(a, self.all(b, a + b >= 0))', list)).toThrow(CostExceeded);
  });
});
