import { describe, expect, it } from '@jest/globals';

import { ImportGraph, importsOf } from '../../tools/tests/importgraph.js';

describe('the import graph of compiled files', () => {
  const graph = new ImportGraph(
    new Map([
      ['dist/test/b.test.js', ['dist/src/b.js']],
      ['dist/test/far.test.js', ['dist/test/support.js']],
      ['dist/test/a.test.js', ['dist/src/a.js']],
      ['dist/test/support.js', ['dist/src/b.js']],
      ['dist/src/b.js', ['dist/src/a.js']],
      ['dist/src/a.js', ['dist/src/b.js']],
    ]),
  );

  it('the import graph lists the tests that reach a file, nearest first', () => {
    expect(graph.testsOf('dist/src/a.js')).toEqual([
      { file: 'dist/test/a.test.js', distance: 1 },
      { file: 'dist/test/b.test.js', distance: 2 },
      { file: 'dist/test/far.test.js', distance: 3 },
    ]);
  });

  it('the import graph lists no test for a file that nothing imports', () => {
    expect(graph.testsOf('dist/src/main.js')).toEqual([]);
  });

  it.each([
    ["import { a } from './a.js';", ['dist/src/kube/a.js']],
    ["export * from '../b.js';", ['dist/src/b.js']],
    ["const c = await import('./c.js');", ['dist/src/kube/c.js']],
    ["import './d.js';", ['dist/src/kube/d.js']],
    ["import path from 'node:path';\nimport PQueue from 'p-queue';", []],
    ["import { e } from '@multicluster-engine/kube-apiserver';", ['packages/kube-apiserver/dist/src/index.js']],
    ["import { g } from '@multicluster-engine/values/re2';", ['packages/values/dist/src/re2.js']],
    [
      "import { f } from '@multicluster-engine/kube-apiserver/testing/wait';",
      ['packages/kube-apiserver/dist/testing/wait.js'],
    ],
  ])('the import graph reads of %j that it imports %j', (text, imports) => {
    expect(importsOf('dist/src/kube/x.js', text)).toEqual(imports);
  });
});
