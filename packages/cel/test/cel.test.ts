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
import type { Json } from '../src/json.js';

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
