import { describe, expect, it } from '@jest/globals';

import { ImportGraph } from '../../tools/tests/importgraph.js';
import { selectTests, targetOf } from '../../tools/tests/target.js';

const anywhere = (): boolean => true;

describe('the argument of make check', () => {
  it.each([
    ['test/runtime/backoff.test.ts', { kind: 'test', file: 'dist/test/runtime/backoff.test.js' }],
    ['./src/main.ts', { kind: 'source', file: 'dist/src/main.js' }],
    ['test/a.test.ts:waits: 5 ms', { kind: 'test', file: 'dist/test/a.test.js', name: 'waits: 5 ms' }],
    [
      'packages/kube-apiserver/test/unit/server.test.ts',
      { kind: 'test', file: 'packages/kube-apiserver/dist/test/unit/server.test.js' },
    ],
    ['', { kind: 'invalid', problem: 'T is not set' }],
    ['src/runtime', { kind: 'invalid', problem: 'src/runtime is no TypeScript file' }],
  ])('the argument %j of make check names %j', (argument, target) => {
    expect(targetOf(argument, anywhere)).toEqual(target);
  });

  it('an argument of make check that names a missing file is refused', () => {
    expect(targetOf('src/gone.ts', () => false)).toEqual({ kind: 'invalid', problem: 'src/gone.ts does not exist' });
  });
});

describe('the tests of a source file', () => {
  const source = { kind: 'source', file: 'dist/src/a.js' } as const;

  it('the tests of a source file are the nearest fast ones, and those left out are counted', () => {
    const graph = new ImportGraph(
      new Map([
        ['dist/test/integration/a.test.js', ['dist/src/a.js']],
        ['dist/test/a.slow.test.js', ['dist/src/a.js']],
        ['dist/src/b.js', ['dist/src/a.js']],
        ['dist/test/b.test.js', ['dist/src/b.js']],
        ['dist/src/c.js', ['dist/src/b.js']],
        ['dist/test/c.test.js', ['dist/src/c.js']],
      ]),
    );

    expect(selectTests(source, graph)).toEqual({ files: ['dist/test/b.test.js'], further: 3 });
  });

  it('the tests of a source file are slow ones where no fast one reaches it', () => {
    const graph = new ImportGraph(new Map([['dist/test/e2e/a.test.js', ['dist/src/a.js']]]));

    expect(selectTests(source, graph)).toEqual({ files: ['dist/test/e2e/a.test.js'], further: 0 });
  });
});
