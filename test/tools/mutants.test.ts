import { describe, expect, it } from '@jest/globals';

import { mutantsOf, mutated } from '../../tools/mutate/mutants.js';

function textsOf(text: string): string[] {
  return mutantsOf(text).map((mutant) => mutated(text, mutant));
}

describe('the mutants of a module', () => {
  it.each([
    ['if (a) b = 1;', ['if (!(a)) b = 1;', 'if (a) ;']],
    ['const x = a && b;', ['const x = a || b;']],
    ['const x = (a || b) && c;', ['const x = (a && b) && c;', 'const x = (a || b) || c;']],
    ['const x = a < b;', ['const x = a <= b;']],
    ['const x = a !== b ? 1 : 2;', ['const x = a === b ? 1 : 2;']],
    ['const x = a ? 1 : 2;', ['const x = !(a) ? 1 : 2;']],
    ['const f = () => { return a; };', ['const f = () => { return;  return a; };']],
    ['await a(); b?.();', ['; b?.();', 'await a(); ;']],
    ["log.info('x'); this.log.warn('y'); this.options.log?.error('z');", []],
    ['class A extends B { constructor() { super(); } }', []],
    ["import a from './a.js'; const x = a + 1;", []],
  ])('the mutants of %j are %j', (text, mutants) => {
    expect(textsOf(text)).toEqual(mutants);
  });

  it('the mutants of a module have their position and their change', () => {
    expect(mutantsOf('const x = 1;\nconst y = a && b;')).toEqual([
      expect.objectContaining({ line: 2, column: 10, change: '&& becomes ||: a && b' }),
    ]);
  });
});
