import { describe, expect, it } from '@jest/globals';

import { flagsIn, integerOf, seedOf } from './arguments.js';
import { faultsOf } from './explore/plans.js';
import { FOUND } from './found.js';
import { planText, readPlan, SORTS } from './plan.js';

const GOOD = {
  scenario: 'placement/plain',
  seed: 0,
  faults: [{ where: { step: 1, of: 'write', n: 1 }, when: 'before', what: { kind: 'crash', ms: 0 } }],
  from: 0,
  to: 2,
};

/** A plan with one fault, some fields of which are others. */
function withFault(where: object, when = 'before', what: object = { kind: 'reset' }): object {
  return { ...GOOD, faults: [{ where: { step: 1, of: 'write', n: 1, ...where }, when, what }] };
}

describe('a plan as text', () => {
  it('is read as it is printed', () => {
    for (const plan of [GOOD, ...FOUND.map((one) => one.plan)])
      expect(readPlan(JSON.stringify(plan))).toEqual(JSON.parse(JSON.stringify(plan)));
  });

  it('may have every fault that plans are made of', () => {
    const where = { step: 2, n: 1 };
    for (const of of SORTS) {
      const faults = faultsOf(of, true).map((fault) => ({ where: { ...where, of }, ...fault }));
      const plan = { scenario: 'gateway/create', seed: 3, faults };
      expect(readPlan(planText(plan))).toEqual(plan);
    }
  });

  it.each([
    [[], 'plan: [] is not an object'],
    [{ ...GOOD, scenario: 'nosuch' }, 'scenario: "nosuch" is not one of '],
    [{ ...GOOD, seed: -1 }, 'seed: -1 is not an integer of at least 0'],
    [{ ...GOOD, seed: 2 ** 53 }, 'seed: 9007199254740992 is not an integer of at least 0'],
    [{ ...GOOD, faults: {} }, 'faults: {} is not a list of faults'],
    [{ ...GOOD, form: 1 }, 'form: 1 is not known: the fields are scenario, seed, faults, from, to'],
    [{ ...GOOD, from: 1.5 }, 'from: 1.5 is not an integer from 0 to '],
    [{ ...GOOD, from: null }, 'from: null is not an integer from 0 to '],
    [{ ...GOOD, from: 3 }, 'to: 2 is not an integer from 3 to '],
    [{ ...GOOD, to: 99 }, 'to: 99 is not an integer from 0 to '],
    [{ ...GOOD, faults: [null] }, 'faults[0]: null is not an object'],
    [{ ...GOOD, faults: [{}] }, 'faults[0].when: undefined is not one of '],
    [withFault({ step: 7 }), 'faults[0].where.step: 7 is not an integer from 0 to 2'],
    [withFault({ n: 0 }), 'faults[0].where.n: 0 is not an integer of at least 1'],
    [withFault({ n: '1' }), 'faults[0].where.n: "1" is not an integer of at least 1'],
    [withFault({ of: 'reads' }), 'faults[0].where.of: "reads" is not one of '],
    [withFault({ at: 1 }), 'faults[0].where.at: 1 is not known: the fields are step, of, n, name'],
    [withFault({ name: 1 }), 'faults[0].where.name: 1 is not a text'],
    [withFault({ of: 'client', name: 'x' }), 'faults[0].where.name: "x" is not absent for client'],
    [withFault({}, 'after'), 'faults[0].when: "after" is not one of '],
    [withFault({}, 'watch'), 'faults[0].when: "watch" is not one of before, applied, answered for write'],
    [withFault({ of: 'event' }), 'faults[0].when: "before" is not one of watch for event'],
    [withFault({ of: 'client' }, 'applied'), 'faults[0].when: "applied" is not one of before for client'],
    [withFault({}, 'before', { kind: 'boom' }), 'faults[0].what.kind: "boom" is not one of '],
    [withFault({}, 'before', { kind: 'mute' }), 'faults[0].what.kind: "mute" is not one of '],
    [withFault({}, 'before', { kind: 'crash' }), 'faults[0].what.ms: undefined is not an integer of at least 0'],
    [withFault({}, 'before', { kind: 'page', ms: 1 }), 'faults[0].what.ms: 1 is not known: the fields are kind'],
    [withFault({}, 'before', { kind: 'answer', status: 'x' }), 'faults[0].what.status: "x" is not an integer from 400'],
    [
      withFault({}, 'before', { kind: 'foreign', field: 'x' }),
      'faults[0].what.field: "x" is not one of label, content',
    ],
    [
      withFault({}, 'before', { kind: 'outage', status: 500, ms: 1, all: 'no' }),
      'faults[0].what.all: "no" is not true or false',
    ],
    [
      withFault({ of: 'event' }, 'watch', { kind: 'replay', count: 0 }),
      'faults[0].what.count: 0 is not an integer of at least 1',
    ],
  ])('%j is refused', (plan, words) => {
    expect(() => readPlan(JSON.stringify(plan))).toThrow(words);
  });

  it('is refused when it is not JSON', () => {
    expect(() => readPlan('{')).toThrow('plan: "{" is not JSON');
  });
});

describe('flags', () => {
  const options = {
    plans: { type: 'string' },
    found: { type: 'boolean' },
    sort: { type: 'string', multiple: true },
  } as const;

  it('are read', () => {
    const args = ['--plans', '-5', '--found', '--sort=--a', '--sort', 'b'];
    expect({ ...flagsIn(args, options) }).toEqual({ plans: '-5', found: true, sort: ['--a', 'b'] });
  });

  it.each([
    [['--nosuch'], '--nosuch: is no flag'],
    [['-p', '1'], '-p: is no flag'],
    [['--no-found'], '--no-found: is no flag'],
    [['--', 'x'], '--: is no flag'],
    [['extra'], '"extra": only flags are taken'],
    [['--plans'], '--plans: needs a value'],
    [['--plans', '--found'], '--plans: needs a value'],
    [['--found=yes'], '--found: takes no value'],
    [['--plans', '1', '--plans=2'], '--plans: is given twice'],
  ])('%j are refused', (args, words) => {
    expect(() => flagsIn(args, options)).toThrow(words);
  });

  it.each(['-5', '1.5', '1e3', '', 'abc', '0x10', '0'])('%j is not a number of plans', (text) => {
    expect(() => integerOf('plans', text, 1)).toThrow(
      `--plans: ${JSON.stringify(text)} is not an integer of at least 1`,
    );
  });

  it('name no seed of which the plans could not be told apart', () => {
    expect(seedOf('20261129')).toBe(20_261_129);
    expect(() => seedOf('9007199254740993')).toThrow('--seed: "9007199254740993" is more than 9000000000');
  });
});
